package card

import (
	"fmt"
	"strings"
	"time"

	"hermes/tui/cell"
)

// ShellTool is the name on the card of a line the person ran.
const ShellTool = "!"

// NewShell returns the card of a command the person runs. It belongs to no log.
func NewShell(id, command string, at time.Time) *Call {
	return &Call{ID: id, Tool: ShellTool, Arguments: command, Summary: cell.Line(command), Started: at}
}

// Output adds live output, raw.
func (c *Call) Output(s string) {
	c.addOutput(s)
	c.version++
}

// Finish ends a command: its exit code, or problem when it could not run or was stopped.
func (c *Call) Finish(exit int, problem string, took time.Duration) {
	c.Took, c.State = took, OK
	switch {
	case problem != "":
		c.State = Aborted
		c.addOutput(problem)
	case exit != 0:
		c.State = Failed
		c.Exit = &exit
	default:
		c.Exit = &exit
	}
	c.Result = c.output
	c.version++
}

// maxShared bounds what of a command's output is handed to the model, in bytes; the end stays.
const maxShared = 32 << 10

// Share writes command and output as a message to the model.
func (c *Call) Share() string {
	text := strings.TrimRight(cell.Clean(c.Text()), "\n ")
	if len(text) > maxShared {
		text = "…" + strings.ToValidUTF8(text[len(text)-maxShared:], "")
	}
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	how := "It is still running."
	switch {
	case c.State == Aborted:
		how = "It was stopped."
	case c.Exit != nil:
		how = fmt.Sprintf("It ended with exit code %d.", *c.Exit)
	}
	return fmt.Sprintf("I ran this command: %s\n%s Its output:\n\n%s\n%s\n%s", c.Arguments, how, fence, text, fence)
}

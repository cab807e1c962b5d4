package terminal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

const (
	// linger is how long the pipe of a finished command may be silent before it is left to whoever
	// else holds it: what the command itself wrote is in the pipe already.
	linger = 100 * time.Millisecond
	// lingers bounds it when the other holder keeps writing.
	lingers = 10
)

// execution is one command to run.
type execution struct {
	command string
	dir     string
	env     []string
	limit   time.Duration
	grace   time.Duration
	out     *capture
	input   bool // the command gets a pipe as its input instead of none
}

// ending is how it went.
type ending struct {
	started  bool
	code     int // exit code; 128 + signal for a signal death
	words    string
	dir      string // working folder at the end; "" when it is not known
	took     time.Duration
	timedOut bool
	aborted  bool
	group    *group // set when members of the process group are still alive
}

// run starts the shell in a process group of its own, waits for the shell (never for whoever else
// holds its output), and ends the whole group when time is up or ctx ends.
func (e execution) run(ctx context.Context) ending {
	start := time.Now()
	fail := func(err error) ending {
		return ending{words: "could not start: " + err.Error(), took: time.Since(start), code: -1}
	}
	if ctx.Err() != nil {
		return ending{words: "interrupted before it started", aborted: true, code: -1}
	}
	note, err := os.CreateTemp("", "hermes-cwd-*")
	if err != nil {
		return fail(err)
	}
	_ = note.Close()                              // only the name is needed
	defer func() { _ = os.Remove(note.Name()) }() // nothing depends on it
	cmd, read, _, err := e.start(note.Name())
	if err != nil {
		return fail(err)
	}
	g := newGroup(cmd)
	drained := drain(read, e.out)
	waited := make(chan error, 1)
	go func() { waited <- cmd.Wait() }()

	end := ending{started: true}
	limit := time.NewTimer(e.limit)
	defer limit.Stop()
	select {
	case err = <-waited:
	case <-limit.C:
		end.timedOut = true
	case <-ctx.Done():
		end.aborted = errors.Is(ctx.Err(), context.Canceled)
		end.timedOut = !end.aborted
	}
	if end.timedOut || end.aborted {
		g.end(e.grace)
		err = <-waited
	}
	stopDrain(read, drained, e.out)
	e.out.finish()
	end.took = time.Since(start)
	end.code, end.words = explain(cmd, err)
	switch {
	case end.timedOut:
		end.words = fmt.Sprintf("timed out after %s and was ended", e.limit)
	case end.aborted:
		end.words = "interrupted by the person and ended"
	default:
		g.leave()
		if g.alive() {
			end.group = g
		}
		end.dir = lastFolder(note.Name())
	}
	return end
}

// start starts the shell; read is the end of the pipe both its outputs go to, input that of its input,
// nil when it has none.
func (e execution) start(note string) (cmd *exec.Cmd, read, input *os.File, err error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, nil, nil, err
	}
	cmd = shell(e.command, note)
	cmd.Dir, cmd.Env = e.dir, e.env
	cmd.Stdout, cmd.Stderr = write, write // files, so that Wait does not wait for the pipe
	cmd.SysProcAttr = ownGroup()
	var theirs *os.File
	if e.input {
		if theirs, input, err = os.Pipe(); err != nil {
			_, _ = read.Close(), write.Close()
			return nil, nil, nil, err
		}
		cmd.Stdin = theirs
	}
	err = cmd.Start()
	_ = write.Close() // the child has its own
	if theirs != nil {
		_ = theirs.Close() // as above
	}
	if err != nil {
		_ = read.Close()
		if input != nil {
			_ = input.Close()
		}
		return nil, nil, nil, err
	}
	return cmd, read, input, nil
}

// drain copies the pipe into out until it ends; the channel closes then.
func drain(read *os.File, out io.Writer) <-chan struct{} {
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.Copy(onlyWriter{out}, read) // the end of the pipe or the deadline; both are fine
	}()
	return done
}

// onlyWriter hides other methods, so that Copy uses a bounded buffer.
type onlyWriter struct{ io.Writer }

// stopDrain waits for the pipe's end, but not for strangers who hold it: after linger the rest is
// read and thrown away in the background, so that they are not killed by a broken pipe.
func stopDrain(read *os.File, drained <-chan struct{}, out interface{ seen() int }) {
	seen := -1
	for range lingers {
		select {
		case <-drained:
			_ = read.Close()
			return
		case <-time.After(linger):
		}
		now := out.seen()
		if now == seen {
			break
		}
		seen = now
	}
	if read.SetReadDeadline(time.Now()) == nil {
		<-drained
		_ = read.SetReadDeadline(time.Time{})
	}
	go func() {
		<-drained
		_, _ = io.Copy(io.Discard, read) // until the last holder lets go
		_ = read.Close()
	}()
}

// explain puts the end of a process in words.
func explain(cmd *exec.Cmd, err error) (code int, words string) {
	if cmd.ProcessState == nil {
		return -1, "ended in an unknown way: " + fmt.Sprint(err)
	}
	if sig, name := signalOf(cmd.ProcessState); sig > 0 {
		return 128 + sig, "killed by signal " + name
	}
	code = cmd.ProcessState.ExitCode()
	words = fmt.Sprintf("exit code %d", code)
	switch {
	case code == 126:
		words += ", the program cannot be executed"
	case code == 127:
		words += ", the program was not found"
	case code > 128 && code < 128+65:
		if name := signalName(code - 128); name != "" {
			words += ", ended by signal " + name
		}
	}
	return code, words
}

// lastFolder reads the note a finished shell left about its working folder.
func lastFolder(note string) string {
	b, err := os.ReadFile(note)
	if err != nil || len(b) < 2 || b[len(b)-1] != '\n' {
		return ""
	}
	return string(b[:len(b)-1])
}

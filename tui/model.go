package tui

import (
	"context"
	"log/slog"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes/core"
	"hermes/tui/activity"
	"hermes/tui/card"
	"hermes/tui/chat"
	"hermes/tui/gauges"
	"hermes/tui/keys"
	"hermes/tui/layout"
	"hermes/tui/onboard"
	"hermes/tui/reviews"
	"hermes/tui/skillpane"
	"hermes/tui/theme"
)

var _ tea.Model = (*Model)(nil)

// Model is the root of the workspace and the only tea.Model of the program. It owns what is open,
// where the focus is and what lies on top; panes own how they look. Create it with New.
type Model struct {
	opt Options
	// ctx is what commands run under; Run sets it before Init. Bubble Tea gives Update none.
	ctx context.Context //nolint:containedctx // commands are closures over it, there is no call to pass it through
	// abort ends the program after a panic in View, which cannot return a command.
	abort func()
	fatal error

	ws   open
	st   *theme.Styles
	scr  screen
	run  run
	note note

	log     *card.Log
	chat    *chat.Pane
	tools   *activity.Pane
	memory  *gauges.Pane
	reviews *reviews.Pane
	skills  *skillpane.Pane
	onboard *onboard.View // the whole screen while no workspace is open
	layers  []layer       // overlays, the top one last
	asks    approvals
	quests  questions

	actions []action
	table   keys.Table
	slash   completion
	sel     selection
	layouts remembered
	tty     tty
	pace    *pacer
	clock   func() *pacer // makes pace when the first message comes; nil without a program
	files   files
	shell   *shellRun // the running ! line
	shells  int       // counts ! lines
	held    held
	late    late
	typed   time.Time // of the last keystroke that changed the composer
}

// open is the adopted workspace with what belongs to its lifetime.
type open struct {
	Workspace

	gen    int                // rises with every adoption; late answers of older ones are dropped
	cancel context.CancelFunc // ends the commands of this workspace
	ctx    context.Context    //nolint:containedctx // as Model.ctx
	last   time.Time          // of the last event batch
	draft  draft
	memory memoryRead
	tidied string // the change that a clean-up wrote last; "" when none can be taken back
	// reviews is the same for the reviews.
	reviews memoryRead
	skills  skillState
	busy    context.CancelFunc // gives up what onboarding is waiting for
}

// draft tracks when the composer's text was last stored.
type draft struct {
	saved   string
	begun   bool // something was typed since the session opened
	pending bool // a save is due
}

// screen is the geometry and the focus.
type screen struct {
	w, h  int
	lay   layout.Result
	focus layout.Pane
	zoom  bool
	side  int // widening of the side column
	dark  bool
	plain bool // the terminal has no colours, or the person wants none
	sized bool // the terminal said how large it is
	away  bool // the terminal says that it has not the focus
	// reports says that the terminal shows the status of programs.
	reports bool
	sixteen bool // the terminal has the sixteen colours only
}

// run is the state of the agent as the events told it.
type run struct {
	id       string // of the last run of the session
	active   bool
	stops    bool // the person asked it to end
	failed   bool // the last turn ended with an error
	ended    bool // a turn ended since somebody looked
	compacts bool // a summary is being written because the person asked for it
	started  time.Time
	tick     int
	ticking  bool
	meter    meter
}

// note is what the status bar says beside its figures.
type note struct {
	toast  string
	level  core.Level
	id     int       // of the toast, so that an old timer does not clear a new one
	armed  time.Time // quitting is armed until then
	by     string    // the key that armed it; "" is Ctrl+C
	prefix bool      // Ctrl+X was pressed
	which  bool      // … long enough ago that the keys after it are listed
	leads  int       // counts Ctrl+X presses, so that an old timer lists nothing
}

// New builds the workspace, complete and ready for Run. It does no I/O.
func New(o Options) *Model {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	m := &Model{opt: o, abort: func() {}}
	m.scr.dark, m.scr.plain, m.scr.focus = o.Theme != string(theme.Light), o.NoColor || o.Theme == string(theme.Plain), layout.Chat
	m.st = theme.New(m.themeKind())
	m.log = card.NewLog()
	m.chat = chat.New(m.st, m.log, o.Now)
	m.tools = activity.New(m.st, m.log, o.Now)
	m.memory = gauges.New(m.st)
	m.reviews = reviews.New(m.st, o.Now)
	m.skills = skillpane.New(m.st)
	m.actions = bindings()
	m.table = table(m.actions)
	m.focusPane(layout.Chat)
	if o.Workspace.Conversation == nil {
		m.applyKeys()
		m.startOnboarding()
	} else {
		m.show(o.Workspace)
		m.applyKeys()
		m.checkMouse()
		m.chat.Composer().SetText(o.Draft)
	}
	return m
}

// Init asks the terminal for its background and starts listening to the workspace.
func (m *Model) Init() tea.Cmd {
	cmds := []tea.Cmd{m.connect()}
	if m.opt.PickSession && m.onboard == nil {
		cmds = append(cmds, m.pickSession())
	}
	if !m.scr.plain && m.detects() {
		cmds = append(cmds, tea.RequestBackgroundColor)
	}
	cmds = append(cmds, m.layoutsLoadCmd(), tea.RequestProgramStatusSupport)
	return m.guard(tea.Batch(cmds...))
}

func (m *Model) startOnboarding() {
	if m.opt.Setup == nil {
		m.onboard = onboard.New(m.opt.SetupNotice, nil, func(Choice) []string { return nil })
		return
	}
	m.onboard = onboard.New(m.opt.SetupNotice, m.opt.Setup.Presets(), m.opt.Setup.Plan)
}

func (m *Model) themeKind() theme.Kind {
	switch {
	case m.scr.plain:
		return theme.Plain
	case m.opt.Theme == "contrast" && m.scr.dark:
		return theme.Contrast
	case m.opt.Theme == "contrast":
		return theme.ContrastLight
	case (m.opt.Theme == "16" || m.scr.sixteen) && m.scr.dark:
		return theme.Sixteen
	case m.opt.Theme == "16" || m.scr.sixteen:
		return theme.SixteenLight
	case m.scr.dark:
		return theme.Dark
	default:
		return theme.Light
	}
}

// detects tells whether the background of the terminal decides between dark and light.
func (m *Model) detects() bool {
	switch m.opt.Theme {
	case "dark", "light", "plain":
		return false
	default:
		return true
	}
}

// checkMouse leaves the mouse to GNU screen, which keeps Esc until the next key comes while a program has it:
// interrupting and denying are worth more than a wheel.
func (m *Model) checkMouse() {
	if m.opt.Mouse && m.opt.InScreen {
		m.opt.Mouse = false
		m.chat.AddNotice(core.Notice{
			Level: core.LevelWarn, Text: "display.mouse: the mouse stays off in GNU screen, which would hold Esc back",
			Remedy: "PgUp and PgDn scroll; in tmux the mouse works",
		})
	}
}

func (m *Model) retheme() {
	if kind := m.themeKind(); kind != m.st.Kind {
		m.st = theme.New(kind)
		m.chat.SetTheme(m.st)
		m.tools.SetTheme(m.st)
		m.memory.SetTheme(m.st)
		m.reviews.SetTheme(m.st)
		m.skills.SetTheme(m.st)
	}
}

// panes lists the standing panes that exist, in order.
func (m *Model) panes() []layout.Pane {
	out := []layout.Pane{layout.Chat, layout.Tools}
	if m.ws.Skills != nil {
		out = append(out, layout.Skills)
	}
	if m.ws.Memory != nil {
		out = append(out, layout.Memory)
	}
	if m.ws.Reviews != nil {
		out = append(out, layout.Reviews)
	}
	return out
}

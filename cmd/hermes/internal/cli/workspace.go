package cli

import (
	"context"
	"errors"

	"hermes/cmd/hermes/internal/app"
	"hermes/core"
	"hermes/core/provider"
	"hermes/tui"
)

// workspace opens the full screen: on a session, on the demo, or on onboarding when no model is
// configured.
func (x *cli) workspace(ctx context.Context, start startFlags) error {
	if x.json {
		return usageError("the workspace has no JSON form; use hermes run --json")
	}
	if !x.InTTY || !x.OutTTY {
		return &core.Error{
			Code: core.CodeUsage, Op: "open the workspace", Err: errors.New("standard input and output must be a terminal"),
			Hint: `for one turn without a screen: hermes run "…"`,
		}
	}
	a, err := x.open()
	if err != nil {
		return err
	}
	desk, show := a.Desk(), a.Config().Display
	editor := x.Getenv("VISUAL")
	if editor == "" {
		editor = x.Getenv("EDITOR")
	}
	o := tui.Options{
		Version: x.Version, Theme: show.Theme, NoColor: x.Getenv("NO_COLOR") != "", Log: a.Log, Setup: a.Setup(),
		Clipboard: desk, LinkOpener: desk, Layouts: desk, Dumps: desk, Keys: a.Config().Keys, Mouse: show.Mouse == "on",
		NoKeyboardProtocol: show.KeyboardProtocol == "off", NoBell: show.Notifications == "off", BusyMode: show.BusyMode, Learned: show.MemoryNotifications, Editor: editor,
		InScreen: x.Getenv("STY") != "",
	}
	if err := x.first(ctx, a, start, &o); err != nil {
		return err
	}
	return tui.Run(ctx, tui.New(o), x.In, x.Out)
}

// first decides what the screen opens on.
func (x *cli) first(ctx context.Context, a *app.App, start startFlags, o *tui.Options) (err error) {
	resume := start.resume
	if start.last {
		resume = "last"
	}
	if resume == resumeAsked {
		resume, o.PickSession = "", true
	}
	switch {
	case start.demo:
		o.Layouts = nil // nothing of the person's own is touched
		o.Workspace, err = a.DemoWorkspace(ctx)
		return err
	case resume == "last":
		if rows, _, lerr := a.Sessions.List(); lerr == nil && len(rows) == 0 {
			resume = ""
		}
	}
	_, err = a.Configured()
	switch {
	case err == nil:
		o.Workspace, err = a.Workspace(ctx, resume)
		return err
	case core.CodeOf(err) == core.CodeSetup:
		o.SetupNotice = setupNotice(a, err)
		return nil
	}
	return err
}

// setupNotice says why onboarding appears, when there is more to say than that nothing is configured.
func setupNotice(a *app.App, err error) string {
	for _, n := range a.Notices() {
		return n.Text
	}
	if errors.Is(err, provider.ErrUnconfigured) {
		return ""
	}
	return err.Error() + " — " + core.HintOf(err)
}

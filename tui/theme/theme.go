// Package theme turns some twenty colour tokens into the styles of the screen. One Styles value is
// built per theme and handed down; nothing else in tui names a colour. Colour never carries meaning
// alone: whoever uses a style also writes a glyph or a word.
//
// It must not know panes or messages. Start at Tokens, then New.
package theme

import (
	"image/color"

	"charm.land/lipgloss/v2"
)

// Kind names a theme.
type Kind string

// The themes. Plain uses attributes (bold, faint, reverse) and no colour; Sixteen uses the colours the
// person gave the terminal; Contrast is for eyes that need it.
const (
	Dark          Kind = "dark"
	Light         Kind = "light"
	Plain         Kind = "plain"
	Contrast      Kind = "contrast"
	ContrastLight Kind = "contrast-light"
	Sixteen       Kind = "16"
	SixteenLight  Kind = "16-light"
)

// Tokens are the colours of a theme as "#rrggbb", or as a number from "0" to "15". An empty token means the terminal's own colour.
type Tokens struct {
	Text, Muted, Faint                string // body, secondary, decoration
	Accent, AccentAlt                 string // focus and titles, links and names
	Border, BorderFocus               string
	Good, Warn, Bad, Busy             string // states
	User, Agent, Think                string // speakers and thinking
	Code, Keyword, Str, Number, Quote string // code and Markdown
	Select, SelectText                string // background and text of the selected line
	AddBack, DelBack                  string // backgrounds of diff lines
	Find                              string // background of what a search found
	Shade                             string // background of the composer's placeholder and chips
}

// TokensOf returns the tokens of kind; Plain has none.
func TokensOf(kind Kind) Tokens {
	switch kind {
	case Plain:
		return Tokens{}
	case Contrast:
		return Tokens{
			Text: "#ffffff", Muted: "#e6e6e6", Faint: "#c0c0c0",
			Accent: "#66d9ff", AccentAlt: "#ffb3ff", Border: "#c0c0c0", BorderFocus: "#ffff66",
			Good: "#66ff66", Warn: "#ffff66", Bad: "#ff9999", Busy: "#66d9ff",
			User: "#66d9ff", Agent: "#ffb3ff", Think: "#e6e6e6",
			Code: "#ffd9a0", Keyword: "#ffb3d9", Str: "#b3ffb3", Number: "#b3e6ff", Quote: "#e6e6e6",
			Select: "#ffffff", SelectText: "#000000", AddBack: "#003a00", DelBack: "#560000", Find: "#7a6a00", Shade: "#303030",
		}
	case ContrastLight:
		return Tokens{
			Text: "#000000", Muted: "#1f1f1f", Faint: "#404040",
			Accent: "#003a99", AccentAlt: "#5c0a8a", Border: "#404040", BorderFocus: "#003a99",
			Good: "#004d00", Warn: "#5c3a00", Bad: "#8a0000", Busy: "#003a99",
			User: "#003a99", Agent: "#5c0a8a", Think: "#1f1f1f",
			Code: "#5c2a00", Keyword: "#7a0040", Str: "#004d33", Number: "#003a80", Quote: "#1f1f1f",
			Select: "#000000", SelectText: "#ffffff", AddBack: "#d9ffd9", DelBack: "#ffe0e0", Find: "#ffe066", Shade: "#e0e0e0",
		}
	case Sixteen:
		return Tokens{
			Muted: "7", Faint: "8", Accent: "12", AccentAlt: "13", Border: "8", BorderFocus: "12",
			Good: "10", Warn: "11", Bad: "9", Busy: "12", User: "12", Agent: "13", Think: "7",
			Code: "11", Keyword: "13", Str: "10", Number: "14", Quote: "7",
			Select: "4", SelectText: "15", Find: "11", Shade: "8",
		}
	case SixteenLight:
		return Tokens{
			Muted: "8", Faint: "8", Accent: "4", AccentAlt: "5", Border: "8", BorderFocus: "4",
			Good: "2", Warn: "3", Bad: "1", Busy: "4", User: "4", Agent: "5", Think: "8",
			Code: "3", Keyword: "5", Str: "2", Number: "6", Quote: "8",
			Select: "4", SelectText: "15", Find: "11", Shade: "7",
		}
	case Light:
		return Tokens{
			Text: "#24292f", Muted: "#57606a", Faint: "#8c959f",
			Accent: "#0b63c4", AccentAlt: "#7a3fb0", Border: "#b8c0c8", BorderFocus: "#0b63c4",
			Good: "#1a7f37", Warn: "#8f5b00", Bad: "#c0222c", Busy: "#0b63c4",
			User: "#0b63c4", Agent: "#7a3fb0", Think: "#6e7781",
			Code: "#8a3b12", Keyword: "#b0225c", Str: "#0a6b4b", Number: "#0a5fb5", Quote: "#57606a",
			Select: "#dbe7f5", SelectText: "#101418", AddBack: "#dff5e3", DelBack: "#fbe3e4", Find: "#ffe08a", Shade: "#eef1f4",
		}
	default:
		return Tokens{
			Text: "#d7dae0", Muted: "#9aa2ae", Faint: "#69717d",
			Accent: "#7cb7ff", AccentAlt: "#c7a0ff", Border: "#454c57", BorderFocus: "#7cb7ff",
			Good: "#7fd18b", Warn: "#e8c06a", Bad: "#ff8580", Busy: "#7cb7ff",
			User: "#7cb7ff", Agent: "#c7a0ff", Think: "#8b93a0",
			Code: "#f0b48a", Keyword: "#ff9fc0", Str: "#a4d9a0", Number: "#8fc7ff", Quote: "#9aa2ae",
			Select: "#2c3a4d", SelectText: "#ffffff", AddBack: "#15301d", DelBack: "#3a1d20", Find: "#6b5310", Shade: "#262b33",
		}
	}
}

// Styles are the drawn styles. All are pure attributes: no width, padding or border, so that
// applying one never changes the cells a text takes.
type Styles struct {
	Kind   Kind
	Tokens Tokens

	Text, Muted, Faint, Bold, Accent, Link lipgloss.Style
	Border, BorderFocus, Title, TitleFocus lipgloss.Style
	Good, Warn, Bad, Busy                  lipgloss.Style
	User, Agent, Think, Code               lipgloss.Style
	Selected, Key, Chip                    lipgloss.Style
	Add, Del, Hunk, AddWord, DelWord       lipgloss.Style
	Match                                  lipgloss.Style // what a search found
	Status, StatusStrong, Toast            lipgloss.Style
}

// New builds the styles of kind.
func New(kind Kind) *Styles {
	t := TokensOf(kind)
	s := &Styles{Kind: kind, Tokens: t}
	fg := func(c string) lipgloss.Style { return paint(lipgloss.NewStyle(), c, "") }
	s.Text, s.Muted, s.Faint = fg(t.Text), fg(t.Muted), fg(t.Faint)
	s.Bold = fg(t.Text).Bold(true)
	s.Accent, s.Link = fg(t.Accent), fg(t.Accent).Underline(true)
	s.Border, s.BorderFocus = fg(t.Border), fg(t.BorderFocus)
	s.Title, s.TitleFocus = fg(t.Muted), fg(t.Accent).Bold(true)
	s.Good, s.Warn, s.Bad, s.Busy = fg(t.Good), fg(t.Warn), fg(t.Bad), fg(t.Busy)
	s.User, s.Agent = fg(t.User).Bold(true), fg(t.Agent).Bold(true)
	s.Think, s.Code = fg(t.Think).Italic(true), fg(t.Code)
	s.Selected = paint(lipgloss.NewStyle(), t.SelectText, t.Select)
	s.Key, s.Chip = fg(t.Accent).Bold(true), paint(lipgloss.NewStyle(), t.Muted, t.Shade)
	s.Add, s.Del = paint(lipgloss.NewStyle(), t.Good, t.AddBack), paint(lipgloss.NewStyle(), t.Bad, t.DelBack)
	s.AddWord, s.DelWord = s.Add.Bold(true).Underline(true), s.Del.Bold(true).Underline(true)
	s.Match = paint(lipgloss.NewStyle(), t.Text, t.Find).Bold(true)
	s.Hunk = fg(t.AccentAlt)
	s.Status, s.StatusStrong, s.Toast = fg(t.Muted), fg(t.Text).Bold(true), fg(t.Text)
	switch kind {
	case Plain:
		s.plain()
	case Sixteen, SixteenLight: // what the sixteen colours mean is the terminal's: black on bright is read everywhere
		s.Match = paint(lipgloss.NewStyle(), "0", t.Find)
		s.Chip = lipgloss.NewStyle().Reverse(true)
	default:
	}
	return s
}

// plain replaces what colour told by attributes.
func (s *Styles) plain() {
	faint := lipgloss.NewStyle().Faint(true)
	bold := lipgloss.NewStyle().Bold(true)
	s.Muted, s.Faint, s.Border, s.Hunk = faint, faint, faint, faint
	s.BorderFocus, s.Accent, s.Bad, s.Warn = bold, bold, bold, bold
	s.Selected = lipgloss.NewStyle().Reverse(true)
	s.Chip = lipgloss.NewStyle().Reverse(true)
	s.Match = lipgloss.NewStyle().Reverse(true).Bold(true)
}

func paint(s lipgloss.Style, fg, bg string) lipgloss.Style {
	if fg != "" {
		s = s.Foreground(Color(fg))
	}
	if bg != "" {
		s = s.Background(Color(bg))
	}
	return s
}

// Color parses a token; "" is no colour.
func Color(token string) color.Color {
	if token == "" {
		return lipgloss.NoColor{}
	}
	return lipgloss.Color(token)
}

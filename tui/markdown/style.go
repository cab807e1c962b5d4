package markdown

import (
	"charm.land/glamour/v2/ansi"

	"hermes/tui/theme"
)

// styleConfig writes the theme in Glamour's terms. Margins are zero: the pane owns its space.
func styleConfig(st *theme.Styles) ansi.StyleConfig {
	t := st.Tokens
	text := ansi.StylePrimitive{Color: str(t.Text)}
	head := func(under bool) ansi.StyleBlock {
		return ansi.StyleBlock{StylePrimitive: ansi.StylePrimitive{Color: str(t.Accent), Bold: on(true), Underline: on(under)}}
	}
	c := ansi.StyleConfig{
		Document:  ansi.StyleBlock{StylePrimitive: text},
		Paragraph: ansi.StyleBlock{},
		BlockQuote: ansi.StyleBlock{
			StylePrimitive: ansi.StylePrimitive{Color: str(t.Quote)}, Indent: num(1), IndentToken: lit("│ "),
		},
		List:          ansi.StyleList{LevelIndent: 2},
		H1:            head(true),
		H2:            head(false),
		H3:            head(false),
		H4:            head(false),
		H5:            head(false),
		H6:            head(false),
		Emph:          ansi.StylePrimitive{Italic: on(true)},
		Strong:        ansi.StylePrimitive{Bold: on(true)},
		Strikethrough: ansi.StylePrimitive{CrossedOut: on(true)},
		HorizontalRule: ansi.StylePrimitive{
			Color: str(t.Faint), Format: "────────",
		},
		Item:        ansi.StylePrimitive{BlockPrefix: "• "},
		Enumeration: ansi.StylePrimitive{BlockPrefix: ". "},
		Task:        ansi.StyleTask{Ticked: "[✓] ", Unticked: "[ ] "},
		Link:        ansi.StylePrimitive{Color: str(t.Muted), Underline: on(true)},
		LinkText:    ansi.StylePrimitive{Color: str(t.Accent)},
		Image:       ansi.StylePrimitive{Color: str(t.Muted), Underline: on(true)},
		ImageText:   ansi.StylePrimitive{Color: str(t.Muted), Format: "image: {{.text}} →"},
		Code:        ansi.StyleBlock{StylePrimitive: ansi.StylePrimitive{Color: str(t.Code)}},
		CodeBlock:   ansi.StyleCodeBlock{Theme: "github-dark"},

		DefinitionTerm:        ansi.StylePrimitive{Bold: on(true)},
		DefinitionDescription: ansi.StylePrimitive{BlockPrefix: "\n→ "},
	}
	switch st.Kind {
	case theme.Light, theme.ContrastLight:
		c.CodeBlock.Theme = "github"
	case theme.Plain:
		c.CodeBlock.Theme = ""
		c.Code.Prefix, c.Code.Suffix = "`", "`"
		c.Emph.Prefix, c.Emph.Suffix = "*", "*"
	case theme.Sixteen, theme.SixteenLight:
		c.CodeBlock.Theme = ""
	default:
	}
	return c
}

func str(token string) *string {
	if token == "" {
		return nil
	}
	return &token
}

func lit(s string) *string { return &s }
func on(b bool) *bool      { return &b }
func num(n uint) *uint     { return &n }

package tui

// Model is the root of the workspace and the only tea.Model of the program.
type Model struct{}

// New builds the workspace, complete and ready for Run. It does no I/O.
func New(o Options) *Model { return &Model{} }

package config

import "time"

// Config is everything a person can set, with defaults filled in. It is a snapshot: nothing in it
// changes after Load.
type Config struct {
	Model         Model                `yaml:"model"`
	Providers     map[string]Provider  `yaml:"providers"`
	Auxiliary     map[string]Auxiliary `yaml:"auxiliary"`
	Agent         Agent                `yaml:"agent"`
	Toolsets      []string             `yaml:"toolsets"`
	Terminal      Terminal             `yaml:"terminal"`
	Approvals     Approvals            `yaml:"approvals"`
	Memory        Memory               `yaml:"memory"`
	Skills        Skills               `yaml:"skills"`
	Review        Review               `yaml:"review"`
	SessionSearch SessionSearch        `yaml:"session_search"`
	Curator       Curator              `yaml:"curator"`
	Compression   Compression          `yaml:"compression"`
	TrustedDirs   []string             `yaml:"trusted_dirs"`
	Web           Web                  `yaml:"web"`
	Delegation    Delegation           `yaml:"delegation"`
	Undo          Undo                 `yaml:"undo"`
	Display       Display              `yaml:"display"`
	Keys          map[string][]string  `yaml:"keys"`
	Prices        map[string]Price     `yaml:"prices"`

	// Secrets are the variables of the home's .env.
	Secrets Secrets `yaml:"-"`
}

// Model chooses the chat model.
type Model struct {
	Default       string `yaml:"default"`
	Provider      string `yaml:"provider"`
	BaseURL       string `yaml:"base_url"`
	ContextLength int    `yaml:"context_length"` // tokens; 0 asks the server or the preset
}

// Provider is a server with a name of the person's choice, or a change to a preset.
type Provider struct {
	BaseURL string `yaml:"base_url"`
	KeyEnv  string `yaml:"key_env"` // name of the variable that holds the key
}

// Auxiliary chooses a model for a side task ("title", "compression", …; "default" for all others).
type Auxiliary struct {
	Provider string `yaml:"provider"`
	Model    string `yaml:"model"`
	BaseURL  string `yaml:"base_url"`
}

// Agent bounds a turn.
type Agent struct {
	MaxTurns int `yaml:"max_turns"` // model requests in one run
}

// Terminal is about the terminal tool.
type Terminal struct {
	Timeout        int      `yaml:"timeout"`         // seconds
	EnvPassthrough []string `yaml:"env_passthrough"` // variables commands may see although they look secret
}

// Limit returns the default time limit of a command.
func (t Terminal) Limit() time.Duration { return time.Duration(t.Timeout) * time.Second }

// Approvals says when a person is asked.
type Approvals struct {
	Mode    string   `yaml:"mode"`    // manual, smart or off
	Timeout int      `yaml:"timeout"` // seconds until an unanswered question counts as no
	Deny    []string `yaml:"deny"`    // globs over commands that never run
	Allow   []string `yaml:"allow"`   // the rules "always" added
}

// Memory is about MEMORY.md and USER.md.
type Memory struct {
	Enabled            bool `yaml:"memory_enabled"`
	UserProfileEnabled bool `yaml:"user_profile_enabled"`
	CharLimit          int  `yaml:"memory_char_limit"` // code points
	UserCharLimit      int  `yaml:"user_char_limit"`   // code points
	NudgeInterval      int  `yaml:"nudge_interval"`    // user turns between reviews
	WriteApproval      bool `yaml:"write_approval"`
}

// Skills is about the skill library.
type Skills struct {
	ExternalDirs          []string       `yaml:"external_dirs"`
	Disabled              []string       `yaml:"disabled"`
	TrustedProjectDirs    []string       `yaml:"trusted_project_dirs"`
	EnvConsent            []string       `yaml:"env_consent"`             // "category/skill NAME": variables that skills may use
	CreationNudgeInterval int            `yaml:"creation_nudge_interval"` // model steps between reviews
	GuardAgentCreated     bool           `yaml:"guard_agent_created"`
	WriteApproval         bool           `yaml:"write_approval"`
	Config                map[string]any `yaml:"config"`             // settings that skills declare
	IndexTokenBudget      int            `yaml:"index_token_budget"` // 0: decided from the context length
}

// Review is about the background reviews.
type Review struct {
	Enabled        bool    `yaml:"enabled"`
	MaxToolCalls   int     `yaml:"max_tool_calls"`
	MaxInputTokens int     `yaml:"max_input_tokens"`
	MaxCostPerDay  float64 `yaml:"max_cost_per_day"` // US dollars; 0: no limit
	WaitSeconds    int     `yaml:"wait_seconds"`
}

// SessionSearch is about searching old sessions.
type SessionSearch struct {
	Summarize string `yaml:"summarize"` // auto, on or off
}

// Curator is about the upkeep of skills.
type Curator struct {
	Enabled          bool   `yaml:"enabled"`
	IntervalHours    int    `yaml:"interval_hours"`
	MinIdleHours     int    `yaml:"min_idle_hours"`
	StaleAfterDays   int    `yaml:"stale_after_days"`
	ArchiveAfterDays int    `yaml:"archive_after_days"`
	Consolidate      bool   `yaml:"consolidate"`
	Backup           Backup `yaml:"backup"`
}

// Backup is how many snapshots the curator keeps.
type Backup struct {
	Keep int `yaml:"keep"`
}

// Compression is about long conversations.
type Compression struct {
	Enabled       bool    `yaml:"enabled"`
	Threshold     float64 `yaml:"threshold"` // share of the context window
	ProtectFirstN int     `yaml:"protect_first_n"`
	ProtectLastN  int     `yaml:"protect_last_n"`
}

// Web is about the web tools.
type Web struct {
	SearchURL    string `yaml:"search_url"`
	SearchKeyEnv string `yaml:"search_key_env"`
	AllowPrivate bool   `yaml:"allow_private"`
}

// Delegation bounds sub-agents.
type Delegation struct {
	MaxIterations         int `yaml:"max_iterations"`
	MaxConcurrentChildren int `yaml:"max_concurrent_children"`
}

// Undo bounds the copies kept for /undo.
type Undo struct {
	MaxBytes int64 `yaml:"max_bytes"`
}

// Display is about the screen.
type Display struct {
	BusyMode            string `yaml:"busy_mode"` // queue, interrupt or steer
	Theme               string `yaml:"theme"`     // auto, dark, light, contrast, 16 or plain
	Mouse               string `yaml:"mouse"`     // off or on
	MemoryNotifications string `yaml:"memory_notifications"`
	Notifications       string `yaml:"notifications"`     // auto, on or off
	KeyboardProtocol    string `yaml:"keyboard_protocol"` // auto, on or off
}

// Price is what a model costs in US dollars per million tokens.
type Price struct {
	Input  float64 `yaml:"input"`
	Cached float64 `yaml:"cached"`
	Output float64 `yaml:"output"`
}

// Default returns the configuration of an empty home.
func Default() Config {
	return Config{
		Agent:         Agent{MaxTurns: 90},
		Terminal:      Terminal{Timeout: 180},
		Approvals:     Approvals{Mode: "manual", Timeout: 300},
		Memory:        Memory{Enabled: true, UserProfileEnabled: true, CharLimit: 2200, UserCharLimit: 1375, NudgeInterval: 10},
		Skills:        Skills{CreationNudgeInterval: 10, GuardAgentCreated: true},
		Review:        Review{Enabled: true, MaxToolCalls: 8, MaxInputTokens: 600_000, WaitSeconds: 60},
		SessionSearch: SessionSearch{Summarize: "auto"},
		Curator: Curator{
			Enabled: true, IntervalHours: 168, MinIdleHours: 2, StaleAfterDays: 30, ArchiveAfterDays: 90, Backup: Backup{Keep: 5},
		},
		Compression: Compression{Enabled: true, Threshold: 0.75, ProtectFirstN: 3, ProtectLastN: 20},
		Delegation:  Delegation{MaxIterations: 50, MaxConcurrentChildren: 3},
		Undo:        Undo{MaxBytes: 256 << 20},
		Display: Display{
			BusyMode: "queue", Theme: "auto", Mouse: "off", MemoryNotifications: "on", Notifications: "auto", KeyboardProtocol: "auto",
		},
	}
}

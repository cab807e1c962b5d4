package home

import "path/filepath"

func (h Home) join(parts ...string) string {
	return filepath.Join(append([]string{h.dir}, parts...)...)
}

// Dir is the home itself, absolute.
func (h Home) Dir() string { return h.dir }

// Config is config.yaml.
func (h Home) Config() string { return h.join("config.yaml") }

// Env is the .env file with keys and secrets.
func (h Home) Env() string { return h.join(".env") }

// Soul is SOUL.md, the identity the person wrote for the agent.
func (h Home) Soul() string { return h.join("SOUL.md") }

// Memories is the folder of MEMORY.md and USER.md.
func (h Home) Memories() string { return h.join("memories") }

// MemoryFile is MEMORY.md, what the agent noted for itself.
func (h Home) MemoryFile() string { return h.join("memories", "MEMORY.md") }

// UserFile is USER.md, the profile of the person.
func (h Home) UserFile() string { return h.join("memories", "USER.md") }

// Skills is the root of the person's skill library.
func (h Home) Skills() string { return h.join("skills") }

// SkillsSnapshot is the cached skills index.
func (h Home) SkillsSnapshot() string { return h.join(".skills_prompt_snapshot.json") }

// Sessions is the folder of transcripts.
func (h Home) Sessions() string { return h.join("sessions") }

// Transcript is the file of session id. The id must be a plain file name; its owner validates it.
func (h Home) Transcript(id string) string { return h.join("sessions", id+".jsonl") }

// TranscriptLock is the lock beside the transcript of session id.
func (h Home) TranscriptLock(id string) string { return h.join("sessions", id+".lock") }

// SessionFiles is the folder of spilled tool results of session id.
func (h Home) SessionFiles(id string) string { return h.join("sessions", id+".files") }

// Prompts is the folder of frozen system prompts and tool lists, by hash.
func (h Home) Prompts() string { return h.join("sessions", "prompts") }

// Index is the folder of the full-text index; deletable at any time.
func (h Home) Index() string { return h.join("index") }

// Ledger is the folder of journals and blobs.
func (h Home) Ledger() string { return h.join("ledger") }

// UI is the folder of screen state, input history and drafts.
func (h Home) UI() string { return h.join("ui") }

// UIState is the layout per screen size.
func (h Home) UIState() string { return h.join("ui", "state.json") }

// History is the composer's input history.
func (h Home) History() string { return h.join("ui", "history.jsonl") }

// Draft is the unsent text of session id.
func (h Home) Draft(id string) string { return h.join("ui", "drafts", id) }

// Undo is the folder of file copies for /undo.
func (h Home) Undo() string { return h.join("undo") }

// Pending is the folder of proposals that wait for the person.
func (h Home) Pending() string { return h.join("pending") }

// Insights is the cache of the figures; it can be deleted at any time.
func (h Home) Insights() string { return h.join(".insights_cache.json") }

// Reviews is the folder of what each review did.
func (h Home) Reviews() string { return h.join("reviews") }

// ReviewState holds the review counters and unreviewed turns.
func (h Home) ReviewState() string { return h.join("review_state.json") }

// Logs is the folder of logs.
func (h Home) Logs() string { return h.join("logs") }

// LogFile is the main log.
func (h Home) LogFile() string { return h.join("logs", "hermes.log") }

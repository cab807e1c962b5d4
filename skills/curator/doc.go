// Package curator keeps the library small by the clock: what an agent wrote and nobody used for a while goes
// stale, later into the archive. It never deletes, never touches what a person wrote, pinned, installed or
// needs in a scheduled job, and every run can be taken back.
//
// Code decides everything here; no model is asked. It knows the library and its usage file, and neither
// sessions nor a screen. Start reading at Run (run.go); plan.go holds the rules.
package curator

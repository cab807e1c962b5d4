// Package delegate is the delegation toolset: delegate_task hands work to sub-agents and returns how
// each run ended.
//
// It does not know how a sub-agent is built; core.Runner runs it and emits the Task events. This package
// checks the call, keeps the number of sub-agents at work within bounds, and words the result. Start
// with delegate.go, then arguments.go and result.go.
package delegate

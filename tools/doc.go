// Package tools owns the registry: the frozen set of tools of a session and what stands around every
// call — argument checks, approval, time limit, redaction, output cap and spill. It also holds what
// the toolsets share: the working folder, the path policy, the verdict a tool gives on a call, and the
// ports through which copies are kept for undo (Keeper) and questions are assessed (Assessor).
//
// It imports no tool and knows no model, screen or transcript. Start with registry.go (the way of a
// call), then verdict.go (how a tool says what it needs), approve.go (who answers) and policy.go (which
// paths are off limits); budget.go fits the results of one model answer together.
package tools

// Package learn turns sources into a skill: it writes the request that an ordinary turn works on, and it checks
// in code what landed, because a model that was told a rule has not kept it yet.
//
// It knows the library and what a turn did; it runs no model, asks nobody and draws nothing. Start reading at
// Request (request.go), then Check (check.go).
package learn

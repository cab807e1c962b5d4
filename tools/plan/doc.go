// Package plan holds two toolsets of one tool each: todo, the model's own task list, and clarify, a
// question to the person.
//
// It knows sessions by id only; screens hear of changes through Todos' OnChange and through whoever
// implements core.Asker. Start with todos.go (the list), todo.go and clarify.go (the tools).
package plan

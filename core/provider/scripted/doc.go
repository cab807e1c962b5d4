// Package scripted is a local HTTP server that speaks the Chat Completions wire format and answers
// from a scenario instead of a model. Tests use it as their only model double, the demo as its engine.
//
// It owns the scenario format, the rendering of replies to wire bytes with every quirk and fault
// real servers show, and a strict mode that rejects what real servers reject. It must not know the
// client (core/provider), the agent or any tool. Start reading at scenario.go, then reply.go.
//
// # Scenario format
//
// A scenario is YAML. Unknown keys are errors, reported with file and line.
//
//	name: demo                # for messages
//	models: [scripted-1]      # GET /v1/models; when set, other models get 404 model_not_found
//	key: sk-test              # when set, "Authorization: Bearer sk-test" is required (401 otherwise)
//	strict: true              # 400 for what real servers reject, see below
//	cache_control: true       # strict, but content parts may carry cache_control
//	require_reasoning: true   # 400 when an assistant message with tool calls of ours lacks exactly our reasoning
//	reject_reasoning: true    # 400 when any message carries a reasoning field
//	chunk: 12                 # default characters a delta; 0 = one delta
//	delay: 15ms               # default pause between deltas
//	steps: [RULE, …]          # played in order, each once (or "times"); tried before the rules
//	rules: [RULE, …]          # the first that matches answers
//	else: REPLY               # when nothing matches; without it: 400 no_rule naming the request
//
// A RULE:
//
//	name: read the file       # optional
//	when: WHEN                # optional: matches always
//	times: 2                  # how often it may answer; "once: true" is times 1; 0 = any number
//	capture:                  # optional: names for templates, first group of the regexp (or the whole match)
//	  port: {from: result, regexp: 'port (\d+)'}   # from: user, result, system, any
//	reply: REPLY              # or
//	turns: [REPLY, …]         # reply k answers when k assistant messages follow the last user message;
//	                          # beyond the list the rule does not match. Needs no memory: resume works.
//
// A step whose "when" does not match leaves its turn to the rules and stays the next step.
//
// A WHEN is a mapping; all keys must hold:
//
//	user, result, last, system, any, model: TEXT   # last user message, last tool result, last message,
//	                                    # system prompt, any message, model name
//	turn: N                             # assistant messages since the last user message
//	users: N                            # user messages in the conversation
//	request: N                          # number of the chat request at this server, from 1
//	calls: N                            # tool results since the last user message
//	has_tool: NAME or [NAME, …]         # all are offered
//	lacks_tool: NAME or [NAME, …]       # none is offered
//	no_tools: true                      # the request offers no tools (false: it offers some)
//	stream: true
//	call: {n: 1, name: NAME, ok: true, result: TEXT}   # call n since the last user message (default: the last one);
//	                                    # ok is false when its result starts with "error" or is a JSON
//	                                    # object with "error", "ok":false or "success":false
//	not: WHEN
//	either: [WHEN, …]                   # at least one holds
//
// TEXT is a string (contained, case matters) or {contains, lacks, equals, regexp}. N is a number or {min, max}.
//
// A REPLY is a string (its text) or a mapping, every key optional:
//
//	text: "…"                 # split into deltas of "chunk" characters
//	reasoning: "…"            # sent before the text
//	reasoning_field: reasoning_content    # or reasoning, reasoning_details
//	tool_calls:
//	  - {name: read_file, arguments: {path: a.md}}   # mapping: JSON in this key order; string: sent raw; default {}
//	    # id: c1 ("none": no id; default call_<request>_<n>), index: 0 ("none", "null", number),
//	    # chunk: 5 (argument characters a delta, 0 = one), name_always: true (name in every fragment)
//	interleave: true          # the fragments of several calls alternate
//	finish: stop              # default tool_calls or stop; "null": null; "": empty; none: no finishing chunk
//	usage: auto               # the default: estimated, cached = prefix shared with an earlier request;
//	                          # none: absent; null: null; or {prompt, completion, cached, reasoning};
//	                          # or {raw: {prompt_tokens: "12"}} sent as written
//	chunk, delay              # as above, for this reply
//	first_delay: 1s           # before the first byte
//	events: [EVENT, …]        # replaces all the above: data payloads, mapping (JSON) or raw string;
//	                          # [DONE] follows unless wire says no_done
//	raw: "data: {…}\n\n"      # replaces everything: the body's bytes
//	fault: FAULT
//	wire: WIRE
//
// A FAULT: {status: 429, headers: {Retry-After: "1"}, error: {message, type, code}, body: TEXT or mapping,
// content_type: text/html} answers without a stream (status may be 200, for an HTML body); without
// status an error is sent inside the stream after "after" frames. {cut: true} breaks the connection,
// {stall: true} sends nothing more until the client leaves, {end: true} ends the body cleanly; each after
// "after: n" frames or "after_bytes: n" bytes of the body. {stall: true} alone sends not even headers.
// A frame is one event: the role chunk is the first, then one for each delta.
//
// A WIRE: split: n (bytes a write, also inside UTF-8 sequences) · crlf · comments (keep-alive lines) ·
// no_done · no_space ("data:{") · event: NAME · two_lines (an event in two data lines) · no_role ·
// no_final_blank · empty_first (a first chunk with choices []) · finish_with_last (finish reason inside
// the last delta's chunk) · json (one JSON object although a stream was asked for).
//
// # Templates
//
// {{name}} in text, reasoning, arguments, events, raw and fault bodies is replaced by: a capture, a
// named or numbered ({{1}}) group of the rule's regexps in "when", or user, result, result.N (result of
// call N since the last user message), model, request, turn. {{open}} gives a literal "{{". An unknown name
// is an error when loading.
//
// # Strict mode
//
// Rejected: unknown fields of the request, of messages and of tools; a conversation that starts with an
// assistant or tool message or ends with an assistant message; a system message that is not the first;
// tool messages without call, missing, repeated or misplaced results; call arguments that are no JSON
// object; an empty tools list; tool_choice without tools; assistant messages without content and calls.
package scripted

package core

import (
	"strings"
	"testing"
)

func TestPlanEvents_asJSON(t *testing.T) {
	t.Parallel()
	meta := Meta{SessionID: "s"}
	for want, e := range map[string]Event{
		`{"type":"todo_changed","session_id":"s",|"items":[{"id":"1","text":"a","status":"in_progress"}]}`:                                               &TodoChanged{Meta: meta, Items: []TodoItem{{"1", "a", TodoActive}}},
		`{"type":"question_asked",|"question":{"id":"q","session_id":"s","run_id":"","call_id":"","text":"why?","options":["a","b"],"free_text":false}}`: &QuestionAsked{Meta: meta, Question: Question{ID: "q", SessionID: "s", Text: "why?", Options: []string{"a", "b"}}},
		`{"type":"question_done",|"id":"q","answer":{"text":"b","option":2}}`:                                                                            &QuestionDone{Meta: meta, ID: "q", Answer: Answer{Text: "b", Option: 2}},
		`{"type":"task_started",|"task_id":"t","call_id":"c","title":"x","toolsets":["file"],"limit":5}`:                                                 &TaskStarted{Meta: meta, TaskID: "t", CallID: "c", Title: "x", Toolsets: []string{"file"}, Limit: 5},
		`{"type":"task_step",|"task_id":"t","call_id":"c","request":1,"tool_calls":2,"text":"read_file a"}`:                                              &TaskStep{Meta: meta, TaskID: "t", CallID: "c", Request: 1, ToolCalls: 2, Text: "read_file a"},
		`{"type":"task_ended",|"cost":null,"reason":"answered","session_id":""},"duration_ms":3}`:                                                        &TaskEnded{Meta: meta, Result: TaskResult{Reason: EndAnswered}, DurationMS: 3},
	} {
		b, err := MarshalEvent(e)
		if err != nil {
			t.Fatal(err)
		}
		head, tail, _ := strings.Cut(want, "|")
		if s := string(b); !strings.HasPrefix(s, head) || !strings.HasSuffix(s, tail) {
			t.Errorf("%s\nwant %s", s, want)
		}
	}
}

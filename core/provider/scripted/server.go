package scripted

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// Server plays a scenario over HTTP. It is also an http.Handler, for servers of one's own.
type Server struct {
	scenario *Scenario
	mux      *http.ServeMux
	http     *http.Server
	listener net.Listener
	done     chan struct{} // closed when the serving goroutine has ended
	stop     func() bool   // removes the hook on the context given to Start

	onRequest func(Request)

	mu       sync.Mutex
	requests []*Request
	used     map[*Rule]int
	step     int
	sent     map[string]sentReasoning // by call id
}

// Options are settings of a server that do not belong to the scenario.
type Options struct {
	// Addr is the address to listen on; empty is a free port on loopback.
	Addr string
	// OnRequest is called with every chat request when it has been recorded, before it is answered. It
	// may block: the answer then waits.
	OnRequest func(Request)
}

// New returns a server that is only an http.Handler: it listens nowhere.
func New(s *Scenario) *Server {
	srv := &Server{scenario: s, mux: http.NewServeMux(), used: map[*Rule]int{}, sent: map[string]sentReasoning{}}
	srv.mux.HandleFunc("POST /v1/chat/completions", srv.chat)
	srv.mux.HandleFunc("GET /v1/models", srv.models)
	srv.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		srv.refuse(w, http.StatusNotFound, "invalid_request_error", "", "unknown url "+r.Method+" "+r.URL.Path)
	})
	return srv
}

// Start listens and serves until Close is called or ctx ends.
func Start(ctx context.Context, s *Scenario, o Options) (*Server, error) {
	if o.Addr == "" {
		o.Addr = "127.0.0.1:0"
	}
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", o.Addr)
	if err != nil {
		return nil, fmt.Errorf("start scripted model: %w", err)
	}
	srv := New(s)
	srv.onRequest = o.OnRequest
	srv.listener = l
	srv.done = make(chan struct{})
	srv.http = &http.Server{
		Handler:           srv,
		ReadHeaderTimeout: time.Minute,
		BaseContext:       func(net.Listener) context.Context { return ctx },
	}
	go func() {
		defer close(srv.done)
		_ = srv.http.Serve(l) // always http.ErrServerClosed: the listener is ours alone
	}()
	srv.stop = context.AfterFunc(ctx, func() { _ = srv.http.Close() })
	return srv, nil
}

// URL is the base URL, "/v1" included; empty for a server that only handles.
func (s *Server) URL() string {
	if s.listener == nil {
		return ""
	}
	return "http://" + s.listener.Addr().String() + "/v1"
}

// Close breaks all connections and waits for the serving goroutine. It may be called twice.
func (s *Server) Close() error {
	if s.http == nil {
		return nil
	}
	s.stop()
	err := s.http.Close()
	<-s.done
	return err
}

// Requests returns copies of the chat requests received so far, refused ones included.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]Request, len(s.requests))
	for i, r := range s.requests {
		out[i] = *r
	}
	return out
}

// Unused names the steps and rules that never answered.
func (s *Server) Unused() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	for _, list := range [][]Rule{s.scenario.Steps, s.scenario.Rules} {
		for i := range list {
			if s.used[&list[i]] == 0 {
				out = append(out, list[i].label())
			}
		}
	}
	return out
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// authorised checks the key and answers 401 when it is wrong.
func (s *Server) authorised(w http.ResponseWriter, r *http.Request) bool {
	if s.scenario.Key == "" || r.Header.Get("Authorization") == "Bearer "+s.scenario.Key {
		return true
	}
	s.refuse(w, http.StatusUnauthorized, "invalid_request_error", "invalid_api_key", "Incorrect API key provided.")
	return false
}

func (s *Server) models(w http.ResponseWriter, r *http.Request) {
	if !s.authorised(w, r) {
		return
	}
	list := s.scenario.Models
	if len(list) == 0 {
		list = []string{"scripted"}
	}
	body := ""
	for i, m := range list {
		if i > 0 {
			body += ","
		}
		body += `{"id":` + quote(m) + `,"object":"model","created":1700000000,"owned_by":"scripted"}`
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, `{"object":"list","data":[`+body+`]}`)
}

// refuse answers with an error object in OpenAI's form.
func (s *Server) refuse(w http.ResponseWriter, status int, kind, code, message string) {
	c := "null"
	if code != "" {
		c = quote(code)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = fmt.Fprintf(w, `{"error":{"message":%s,"type":%s,"param":null,"code":%s}}`, quote(message), quote(kind), c)
}

// chat records the request, finds its reply and plays it.
func (s *Server) chat(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client left
	}
	req := parseRequest(body)
	req.Header = r.Header.Clone()
	s.mu.Lock()
	s.requests = append(s.requests, req)
	req.N = len(s.requests)
	snapshot := *req
	s.mu.Unlock()
	if s.onRequest != nil {
		s.onRequest(snapshot)
	}
	rec := &statusRecorder{ResponseWriter: w, note: func(status int) {
		s.mu.Lock()
		req.Status = status
		s.mu.Unlock()
	}}
	if !s.authorised(rec, r) || !s.acceptable(rec, req) {
		return
	}
	reply, err := s.pick(req)
	if err != nil {
		s.refuse(rec, http.StatusBadRequest, "scripted", "no_rule", err.Error())
		return
	}
	s.answer(r.Context(), rec, req, reply)
}

// answer plays one reply.
func (s *Server) answer(ctx context.Context, w http.ResponseWriter, req *Request, reply rendered) {
	if reply.Hold != nil {
		select {
		case <-reply.Hold:
		case <-ctx.Done():
			return
		}
	}
	if pause(ctx, time.Duration(reply.FirstDelay)) != nil {
		return
	}
	if f := reply.Fault; f != nil && f.Status != 0 {
		s.failWith(w, f, reply.vars)
		return
	}
	s.remember(reply)
	if (!req.Stream || reply.Wire.JSON) && reply.Fault == nil && reply.Raw == "" && len(reply.Events) == 0 {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, reply.object())
		return
	}
	frames, err := reply.frames()
	if err != nil {
		s.refuse(w, http.StatusInternalServerError, "scripted", "render", err.Error())
		return
	}
	delay := s.scenario.Delay
	if reply.Delay != nil {
		delay = *reply.Delay
	}
	st := stream{w: w, flush: http.NewResponseController(w).Flush, reply: &reply, delay: time.Duration(delay)}
	if errors.Is(st.play(ctx, frames), errCut) {
		panic(http.ErrAbortHandler) // the documented way to break the connection from a handler
	}
}

// failWith answers with a status instead of a stream.
func (s *Server) failWith(w http.ResponseWriter, f *Fault, v vars) {
	kind := f.ContentType
	body, err := f.Body.render(v)
	if f.Error != nil && err == nil {
		var object string
		object, err = f.Error.render(v)
		body = `{"error":` + object + `}`
	}
	if err != nil {
		s.refuse(w, http.StatusInternalServerError, "scripted", "render", err.Error())
		return
	}
	if kind == "" {
		kind = "application/json"
	}
	w.Header().Set("Content-Type", kind)
	for k, val := range f.Headers {
		w.Header().Set(k, val)
	}
	w.WriteHeader(f.Status)
	_, _ = io.WriteString(w, body)
}

// statusRecorder notes the status that was answered.
type statusRecorder struct {
	http.ResponseWriter

	note func(status int)
}

// WriteHeader notes the status before it goes out.
func (r *statusRecorder) WriteHeader(status int) {
	r.note(status)
	r.ResponseWriter.WriteHeader(status)
}

// Unwrap lets http.ResponseController reach the real writer.
func (r *statusRecorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

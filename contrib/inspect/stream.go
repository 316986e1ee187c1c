package inspect

import (
	"bytes"
	"fmt"
	"net/http"
	"time"
)

const (
	mostStreams = 64
	// writeWithin is how long a viewer may take to read what there is for it. Whoever reads nothing
	// is cut off then, and holds no goroutine.
	writeWithin = 10 * time.Second
	// beat is after how long something is sent although nothing has changed, as proxies end what is
	// silent.
	beat = 15 * time.Second
)

// serveStream keeps a viewer up to date: at each tick it sends what the address shows by then,
// unless that is the same. There is no queue: who reads slowly gets the newest when it has read.
func (p *Page) serveStream(w http.ResponseWriter, r *http.Request, path string) {
	down, act := p.serverOf(r), p.mayAct(r) // which may hang, and is to keep no place meanwhile
	if !p.beginStream(down) {
		http.Error(w, "no more viewers can be kept up to date", http.StatusServiceUnavailable)
		return
	}
	defer p.endStream()
	s := stream{page: p, down: down, w: w, r: r, path: path, query: newQuery(r.URL.Query()),
		act: act, control: http.NewResponseController(w)}
	// The connection may serve other requests afterwards.
	defer func() { _ = s.control.SetWriteDeadline(time.Time{}) }()
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no") // nginx would collect it
	if err := s.control.Flush(); err != nil { // some middleware hides that it could
		w.Header().Del("X-Accel-Buffering")
		http.Error(w, "nothing can be streamed here: "+err.Error(), http.StatusNotImplemented)
		return
	}
	if s.send([]byte("event: version\ndata: "+version+"\n\n")) != nil {
		return
	}
	for wait := time.Duration(0); s.after(wait); wait = p.untilNextTick() {
		if err := s.step(); err != nil {
			return
		}
	}
}

// beginStream reports whether one more viewer is kept up to date.
func (p *Page) beginStream(down <-chan struct{}) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.ended:
		return false
	case <-down:
		return false
	default:
	}
	if p.streams == mostStreams {
		return false
	}
	p.streams++
	return true
}

func (p *Page) endStream() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.streams--
}

// sinceTick is how long ago the last tick was. Ticks are those of the page, so that all viewers
// look at the same times, and share a snapshot; a clock that is set does not move them.
func (p *Page) sinceTick() time.Duration { return time.Since(p.begun) % tick }

func (p *Page) untilNextTick() time.Duration { return tick - p.sinceTick() }

// stream is what one viewer gets.
type stream struct {
	page    *Page
	down    <-chan struct{} // closed when the server is shutting down
	w       http.ResponseWriter
	r       *http.Request
	path    string
	query   query
	act     bool // what the viewer may do is asked once; an action asks again
	control *http.ResponseController
	sent    []byte
	at      time.Time
	number  int
}

// after waits, and reports whether there is still somebody to be told.
func (s *stream) after(wait time.Duration) bool {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-s.r.Context().Done():
	case <-s.page.ended:
	case <-s.down:
	}
	return false
}

// step sends what is new.
func (s *stream) step() error {
	s.page.await(s.path, s.query)
	shown, ok := s.page.snapshot(s.page.sinceTick()).live(s.path, s.query, s.act)
	live := shown.live
	if !ok {
		live = missing(s.path)
	}
	now := time.Now()
	switch {
	case !bytes.Equal(live, s.sent):
		s.sent, s.at = live, now
		return s.send(event(s.number, live))
	case now.Sub(s.at) >= beat:
		s.at = now
		return s.send([]byte(": still there\n\n"))
	}
	return nil
}

func (s *stream) send(text []byte) error {
	s.number++
	// Some writers know no deadline; then the server's own holds.
	_ = s.control.SetWriteDeadline(time.Now().Add(writeWithin))
	if _, err := s.w.Write(text); err != nil {
		return err
	}
	return s.control.Flush()
}

// event returns a server-sent event. Viewers that lose it come back after a second.
func event(number int, text []byte) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "id: %d\nretry: 1000\n", number)
	for line := range bytes.Lines(text) {
		b.WriteString("data: ")
		b.Write(bytes.TrimRight(line, "\r\n"))
		b.WriteByte('\n')
	}
	b.WriteByte('\n')
	return b.Bytes()
}

package pairs

import (
	"bytes"
	"sync"
	"testing/synctest"
	"time"

	"github.com/punctual-go/punctual/executor/insight"
	"github.com/punctual-go/punctual/executor/replay"
	"github.com/punctual-go/punctual/internal/trust/figures"
)

// sample is what the executor tells of itself at one moment at which nothing is going on.
type sample struct {
	at      time.Duration
	stats   stats
	health  insight.Health
	history *insight.History
}

// gauges has what the executor has told of itself.
type gauges struct {
	told *figures.Tally // nil if nobody watches; set before the executor is made

	// Only the driver adds to these, and reads them at the end.
	samples []*sample
	final   sample

	mu      sync.Mutex // guards the rest; it is a leaf
	written []byte     // the recording
}

// each calls f for each sample but the first, with the one before.
func (g *gauges) each(f func(before, s *sample)) {
	for i, s := range g.samples[min(1, len(g.samples)):] {
		f(g.samples[i], s)
	}
}

// end takes the last sample, of an executor that has ended.
func (g *gauges) end(h *host) {
	g.final.stats = h.stats()
	history := h.executor.Insight().History()
	g.final.history = &history
	g.final.health = h.executor.Insight().Health()
}

// writes notes what was recorded.
func (g *gauges) writes(text []byte) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.written = append(g.written, text...)
}

// recording reads what was recorded.
func (g *gauges) recording() *replay.Recording {
	r, err := replay.Read(bytes.NewReader(g.written))
	if err != nil {
		return &replay.Recording{}
	}
	return r
}

// sample waits until nothing is going on, and compares what the executor tells of itself.
func (l *life) sample() {
	synctest.Wait()
	s := &sample{at: l.now(), stats: l.host.stats(), health: l.host.executor.Insight().Health()}
	running := l.host.executor.Running()
	for _, r := range l.journal.all() {
		unique := r.t.using(byName["Unique"]) != nil && l.host.has(r.t.name())
		l.journal.look(r, s.at, unique)
	}
	queued := l.host.queued()
	l.gauges.samples = append(l.gauges.samples, s)
	l.journal.mu.Lock()
	defer l.journal.mu.Unlock()
	l.audit.checkSampleLocked(s, running, queued)
}

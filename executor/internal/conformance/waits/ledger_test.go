package waits_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/future"
)

// rate is a pace: no more than n starts in any span of that length.
type rate struct {
	n   int
	per time.Duration
}

// laneRule is what a serial executor promises.
type laneRule struct {
	gap  time.Duration
	pace rate
}

// entry is a task of a program.
type entry struct {
	name     string
	future   *future.Future[struct{}]
	lane     int           // -1 for none
	delay    time.Duration // of its submission
	due      time.Time     // its own time
	attempts uint64        // how many it has
	wait     time.Duration // between two

	begun uint64 // attempts
	ended time.Time
	moved bool // by Reset
}

// start is a start of a body.
type start struct {
	at   time.Time
	lane int
}

// ledger checks what a program does against what its pool promises.
type ledger struct {
	mu      sync.Mutex
	pace    rate // of the pool
	lanes   []laneRule
	entries []*entry
	named   int
	starts  []start
	last    map[int]*entry // of each lane
	running map[int]*entry
	closed  time.Time
	faults  []string
}

func newLedger() *ledger { return &ledger{last: map[int]*entry{}, running: map[int]*entry{}} }

func (l *ledger) next() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.named++
	return l.named
}

func (l *ledger) all() []*entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.entries)
}

func (l *ledger) fault(format string, args ...any) {
	l.faults = append(l.faults, fmt.Sprintf(format, args...))
}

// begins checks the start of an attempt.
func (l *ledger) begins(e *entry, r executor.Run) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	e.begun++
	if !r.Started.Equal(now) {
		l.fault("%s has begun at %v, and shows %v", r.Name, now, r.Started)
	}
	if !r.Scheduled.Equal(e.due) {
		l.fault("%s is for %v, and shows %v", r.Name, e.due, r.Scheduled)
	}
	if now.Before(e.due) {
		l.fault("%s begins %v early", r.Name, e.due.Sub(now))
	}
	if e.begun > 1 && now.Sub(e.ended) < e.wait {
		l.fault("attempt %d of %s comes %v early", e.begun, r.Name, e.wait-now.Sub(e.ended))
	}
	if e.begun > e.attempts {
		l.fault("%s has %d attempts", r.Name, e.begun)
	}
	l.keepsPace(r.Name, l.pace, func(start) bool { return true })
	if e.lane >= 0 {
		l.beginsIn(e, r)
	}
	l.starts = append(l.starts, start{now, e.lane})
}

// beginsIn is the part of begins about the lane.
func (l *ledger) beginsIn(e *entry, r executor.Run) {
	rule, now := l.lanes[e.lane], time.Now()
	if other := l.running[e.lane]; other != nil {
		l.fault("%s begins while another of its lane runs", r.Name)
	}
	if last := l.last[e.lane]; last != nil && last != e && now.Sub(last.ended) < rule.gap {
		l.fault("%s breaks the gap of %v, by %v", r.Name, rule.gap, rule.gap-now.Sub(last.ended))
	}
	l.keepsPace(r.Name, rule.pace, func(s start) bool { return s.lane == e.lane })
	if e.begun == 1 {
		l.keepsOrder(e, r)
	}
	l.last[e.lane], l.running[e.lane] = e, e
}

// keepsOrder checks that nothing that came before e to its lane waits still. What is scheduled or
// moved comes later than it was submitted.
func (l *ledger) keepsOrder(e *entry, r executor.Run) {
	for _, before := range l.entries {
		if before == e {
			return
		}
		if before.lane == e.lane && before.delay == 0 && e.delay == 0 && before.begun == 0 &&
			!before.moved && !e.moved && !before.future.State().Settled() {
			l.fault("%s overtakes a task of its lane", r.Name)
		}
	}
}

// keepsPace checks that one more start is allowed now.
func (l *ledger) keepsPace(name string, pace rate, counts func(start) bool) {
	if pace.n == 0 {
		return
	}
	within := 0
	for _, s := range l.starts {
		if counts(s) && time.Since(s.at) < pace.per {
			within++
		}
	}
	if within >= pace.n {
		l.fault("%s is start %d of %d in %v", name, within+1, pace.n, pace.per)
	}
}

func (l *ledger) ends(e *entry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e.ended = time.Now()
	if e.lane >= 0 {
		delete(l.running, e.lane)
	}
}

// closes notes that the pool is about to be closed.
func (l *ledger) closes() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = time.Now()
}

// check returns the faults, with those of the ends.
func (l *ledger) check() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, e := range l.entries {
		r, settled := e.future.Poll()
		switch {
		case !settled:
			l.fault("entry %d is not settled", i)
		case e.begun == 0 && r.Err == nil:
			l.fault("entry %d has succeeded without a run", i)
		case !errors.Is(r.Err, executor.ErrShutdown), l.closed.IsZero():
		case e.begun == 0 && !e.due.After(l.closed):
			l.fault("entry %d was due at %v, and dropped by Close at %v", i, e.due, l.closed)
		}
	}
	return l.faults
}

// pending describes what has not ended.
func (l *ledger) pending() (lines []string) {
	for i, e := range l.all() {
		if !e.future.State().Settled() {
			lines = append(lines, fmt.Sprintf("entry %d, lane %d, attempt %d of %d",
				i, e.lane, e.begun, e.attempts))
		}
	}
	return lines
}

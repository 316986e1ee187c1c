package timertest

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing/synctest"
	"time"

	"github.com/punctual-go/punctual/timer"
)

// models is the family of checks that compare a facility with a plain list, over random calls.
type models struct{ *trial }

func (models) checks() []check {
	return []check{
		{
			"random calls agree with a list",
			of(models.anyOrder), nil,
		},
		{
			"random calls agree with a sorted list, one function after the other",
			of(models.oneAfterTheOther), []need{serial()},
		},
	}
}

// seedEnv is the environment variable that holds one seed to try alone: that of a failure.
const seedEnv = "TIMERTEST_SEED"

func (c models) anyOrder()         { c.agree(timer.Config{}, false) }
func (c models) oneAfterTheOther() { c.agree(c.serial(), true) }

// agree tries forty seeds that are always the same, and forty random ones.
func (c models) agree(cfg timer.Config, isSerial bool) {
	var seeds []uint64
	for i := range uint64(40) {
		seeds = append(seeds, i, rand.Uint64())
	}
	if seed, err := strconv.ParseUint(os.Getenv(seedEnv), 10, 64); err == nil {
		seeds = []uint64{seed}
	}
	for _, seed := range seeds {
		c.bubble(func() {
			m := &model{
				c: c.trial, s: c.make(cfg),
				random:  rand.New(rand.NewPCG(seed, 0)),
				inOrder: isSerial && c.Ordered,
			}
			m.walk(300)
			if c.failed() {
				c.errorf("to see this again: %s=%d", seedEnv, seed)
			}
		})
		if c.failed() {
			return
		}
	}
}

// model is what a facility should do, as a plain list. One goroutine calls the facility at random
// and compares the two after each step.
type model struct {
	c       *trial
	s       timer.Scheduler
	random  *rand.Rand
	inOrder bool // compare the order too

	entries []*entry
	armings int
	steps   []string // the last ones, for the report

	mu    sync.Mutex
	begun []beginning // not yet compared
	last  arming      // the last one begun that had a delay
}

// entry is one handle.
type entry struct {
	id   int
	h    timer.Handle
	owed []arming // neither begun nor taken back; all but the last are overdue
}

type arming struct {
	due time.Duration
	seq int
	now bool // armed without a delay
}

type beginning struct {
	e  *entry
	at time.Duration
}

func (m *model) walk(steps int) {
	for range steps {
		m.step()
		synctest.Wait()
		m.compare(false)
		if m.c.failed() {
			m.c.errorf("the last calls were %v", m.steps)
			return
		}
	}
	m.c.pass(10 * day)
	m.compare(true)
}

func (m *model) step() {
	switch n := m.random.IntN(10); {
	case n < 3 || len(m.entries) == 0:
		m.arm()
	case n < 5:
		m.stop(m.any())
	case n < 7:
		m.reset(m.any())
	default:
		d := m.delay()
		m.note("sleep(%v)", d)
		time.Sleep(max(d, 0))
	}
}

func (m *model) note(format string, args ...any) {
	m.steps = append(m.steps[max(0, len(m.steps)-20):], fmt.Sprintf(format, args...))
}

// any returns one of the latest handles.
func (m *model) any() *entry {
	return m.entries[len(m.entries)-1-m.random.IntN(min(len(m.entries), 12))]
}

// delay returns a random delay, often one that others have too.
func (m *model) delay() time.Duration {
	switch m.random.IntN(5) {
	case 0:
		return m.c.tick() * time.Duration(m.random.IntN(4)-1)
	case 1:
		return m.c.turn()*time.Duration(m.random.IntN(3)) +
			m.c.tick()*time.Duration(m.random.IntN(3)) +
			time.Duration(m.random.IntN(3)-1)
	case 2:
		return magnitude(m.random, 5*day)
	default:
		return magnitude(m.random, 2*m.c.turn())
	}
}

func (m *model) arming(d time.Duration) arming {
	m.armings++
	return arming{due: m.c.now() + max(d, 0), seq: m.armings, now: d <= 0}
}

func (m *model) arm() {
	d := m.delay()
	e := &entry{id: len(m.entries)}
	m.note("%d: AfterFunc(%v)", e.id, d)
	e.owed = append(e.owed, m.arming(d))
	m.entries = append(m.entries, e)
	e.h = m.s.AfterFunc(d, func() {
		at := m.c.now()
		m.mu.Lock()
		defer m.mu.Unlock()
		m.begun = append(m.begun, beginning{e, at})
	})
}

func (m *model) stop(e *entry) {
	got := e.h.Stop()
	m.note("%d: Stop is %t", e.id, got)
	m.takeBack(e, "Stop", got)
}

func (m *model) reset(e *entry) {
	d := m.delay()
	got := e.h.Reset(d)
	m.note("%d: Reset(%v) is %t", e.id, d, got)
	m.takeBack(e, "Reset", got)
	e.owed = append(e.owed, m.arming(d))
}

// takeBack checks the answer of Stop or Reset. For a function that is due, false is right if it has
// begun, which the next comparison will show.
func (m *model) takeBack(e *entry, call string, got bool) {
	armed := len(e.owed) > 0
	switch {
	case got && !armed:
		m.c.errorf("%s of handle %d, which is not armed, is true", call, e.id)
	case got:
		e.owed = e.owed[:len(e.owed)-1]
	case armed && m.c.now() < e.owed[len(e.owed)-1].due:
		m.c.errorf("%s of handle %d, which is armed, is false", call, e.id)
	}
}

// compare takes in what has begun, and checks that nothing is overdue. At the end nothing may be
// left.
func (m *model) compare(atEnd bool) {
	m.mu.Lock()
	begun := slices.Clone(m.begun)
	m.begun = m.begun[:0]
	m.mu.Unlock()
	for _, b := range begun {
		m.take(b)
	}
	for _, e := range m.entries {
		for _, a := range e.owed {
			if latest := later(a.due, m.c.Lateness); atEnd || latest < m.c.now() {
				m.c.errorf("handle %d, due at %v, has not begun at %v", e.id, a.due, m.c.now())
			}
		}
	}
}

func (m *model) take(b beginning) {
	if len(b.e.owed) == 0 {
		m.c.errorf("handle %d has begun at %v though it was not armed", b.e.id, b.at)
		return
	}
	a := b.e.owed[0]
	b.e.owed = b.e.owed[1:]
	if b.at < a.due || b.at > later(a.due, m.c.Lateness) {
		m.c.errorf("handle %d, due at %v, has begun at %v", b.e.id, a.due, b.at)
	}
	if a.now && m.c.Lateness > 0 {
		return
	}
	if m.inOrder && (a.due < m.last.due || a.due == m.last.due && a.seq < m.last.seq) {
		m.c.errorf("handle %d, due at %v, has begun after one due at %v", b.e.id, a.due, m.last.due)
	}
	m.last = a
}

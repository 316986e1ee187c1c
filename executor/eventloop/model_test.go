package eventloop_test

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
)

// The model of a loop is a list of what waits, sorted by time, then by order of arrival, and one
// server that takes from its head.
type model struct {
	loop    *eventloop.Loop
	start   time.Time
	waiting []*modelled
	tasks   []*modelled
	arrival int
	free    time.Duration // when the body in progress returns
	running *modelled
	ran     []aRun

	mu   sync.Mutex
	seen []aRun // what the loop has really run
}

type modelled struct {
	id      int
	when    time.Duration
	arrival int
	lasts   time.Duration // each run
	period  time.Duration // positive: fixed rate, negative: fixed delay
	runs    int           // left, if it is periodic
	ended   bool
	future  *executor.ScheduledFuture[struct{}]
}

type aRun struct {
	id int
	at time.Duration
}

func TestLoopAgreesWithASortedList(t *testing.T) {
	for range 20 { // of a hundred cases each
		rapid.Check(t, func(t *rapid.T) { rapid.SyncTest(t, compareWithList) })
	}
}

func compareWithList(t *rapid.T) {
	m := &model{loop: quiet(), start: time.Now()}
	defer m.loop.Close()
	t.Repeat(map[string]func(*rapid.T){
		"schedule":        m.schedule,
		"schedule more":   m.schedule,
		"series":          m.series,
		"schedule inside": m.scheduleInside,
		"cancel":          m.cancel,
		"cancel inside":   m.cancelInside,
		"time":            m.advance,
		"stats":           m.stats,
		"":                m.check,
	})
}

func ticks(t *rapid.T, least, most int, name string) time.Duration {
	return time.Duration(rapid.IntRange(least, most).Draw(t, name)) * ms
}

func (m *model) now() time.Duration { return time.Since(m.start) }

// add has the model take in a task that the loop is about to get, and returns it with its body.
func (m *model) add(t *rapid.T, delay time.Duration) (*modelled, executor.Task) {
	e := &modelled{id: len(m.tasks), lasts: max(0, ticks(t, -6, 4, "lasts"))}
	m.tasks = append(m.tasks, e)
	m.insert(e, m.now()+max(0, delay))
	return e, func(context.Context) error {
		m.mu.Lock()
		m.seen = append(m.seen, aRun{e.id, m.now()})
		m.mu.Unlock()
		time.Sleep(e.lasts)
		return nil
	}
}

func (m *model) insert(e *modelled, when time.Duration) {
	m.arrival++
	e.when, e.arrival = when, m.arrival
	m.waiting = append(m.waiting, e)
	slices.SortFunc(m.waiting, func(a, b *modelled) int {
		return cmp.Or(cmp.Compare(a.when, b.when), cmp.Compare(a.arrival, b.arrival))
	})
}

func (m *model) schedule(t *rapid.T) {
	delay := ticks(t, -1, 6, "delay")
	e, body := m.add(t, delay)
	var err error
	if e.future, err = m.loop.Schedule(delay, body); err != nil {
		t.Fatal(err)
	}
	m.settle()
}

func (m *model) series(t *rapid.T) {
	delay, period := ticks(t, 0, 6, "initial"), ticks(t, 1, 4, "period")
	way := rapid.IntRange(0, 2).Draw(t, "way")
	if way == 0 {
		delay = period
	}
	e, body := m.add(t, delay)
	e.runs, e.period = rapid.IntRange(1, 5).Draw(t, "runs"), period
	limit := executor.MaxRuns(e.runs)
	var err error
	switch way {
	case 0: // the model knows bursts only
		e.future, err = m.loop.Every(period, body, limit, executor.CatchUp(executor.Burst))
	case 1:
		e.period = -period
		e.future, err = m.loop.WithFixedDelay(delay, period, body, limit)
	default:
		e.future, err = m.loop.AtFixedRate(delay, period, body, limit)
	}
	if err != nil {
		t.Fatal(err)
	}
	m.settle()
}

// inside runs fn as a task of the loop, which the model knows nothing of. The loop must be free.
func (m *model) inside(t *rapid.T, fn func(turn eventloop.Turn)) {
	if m.running != nil {
		t.Skip("the loop is busy")
	}
	if err := m.loop.Execute(func(ctx context.Context) error {
		turn, ok := m.loop.Turn(ctx)
		if !ok {
			panic("no turn")
		}
		fn(turn)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	m.settle()
}

func (m *model) scheduleInside(t *rapid.T) {
	delay := ticks(t, -1, 6, "delay")
	m.inside(t, func(turn eventloop.Turn) {
		e, body := m.add(t, delay)
		e.future, _ = turn.Schedule(delay, body)
	})
}

func (m *model) any(t *rapid.T) *modelled {
	if len(m.tasks) == 0 {
		t.Skip("no task yet")
	}
	return rapid.SampledFrom(m.tasks).Draw(t, "task")
}

func (m *model) cancel(t *rapid.T) {
	e := m.any(t)
	m.cancelled(t, e, e.future.Stop())
	m.settle()
}

func (m *model) cancelInside(t *rapid.T) {
	e := m.any(t)
	m.inside(t, func(turn eventloop.Turn) { m.cancelled(t, e, turn.Cancel(e.future)) })
}

func (m *model) cancelled(t *rapid.T, e *modelled, did bool) {
	if did == e.ended {
		t.Fatalf("cancelling task %d: %v", e.id, did)
	}
	e.ended = true
	m.waiting = slices.DeleteFunc(m.waiting, func(w *modelled) bool { return w == e })
}

func (m *model) advance(t *rapid.T) {
	time.Sleep(ticks(t, 1, 8, "ticks"))
	m.settle()
}

// settle brings the model to the present.
func (m *model) settle() {
	synctest.Wait()
	for {
		if e := m.running; e != nil {
			if m.free > m.now() {
				return
			}
			m.end(e)
		}
		if len(m.waiting) == 0 || m.waiting[0].when > m.now() {
			return
		}
		e := m.waiting[0]
		m.waiting = m.waiting[1:]
		began := max(m.free, e.when)
		m.running, m.free = e, began+e.lasts
		m.ran = append(m.ran, aRun{e.id, began})
	}
}

func (m *model) end(e *modelled) {
	m.running = nil
	e.runs--
	switch {
	case e.ended:
	case e.period == 0 || e.runs == 0:
		e.ended = true
	case e.period > 0:
		m.insert(e, e.when+e.period)
	default:
		m.insert(e, m.free-e.period)
	}
}

func (m *model) check(t *rapid.T) {
	synctest.Wait()
	if err := m.loop.Validate(); err != nil {
		t.Fatal(err)
	}
	m.mu.Lock()
	if !slices.Equal(m.ran, m.seen) {
		t.Fatalf("ran %v\nwant %v", m.seen, m.ran)
	}
	m.mu.Unlock()
	for _, e := range m.tasks {
		if _, settled := e.future.Poll(); settled != e.ended {
			t.Fatalf("task %d settled: %v", e.id, settled)
		}
	}
	for _, e := range m.waiting {
		if d := e.future.Delay(); d != e.when-m.now() {
			t.Fatalf("task %d is due in %v, want %v", e.id, d, e.when-m.now())
		}
	}
}

// stats checks the counts. It is not part of check, as Stats has the loop's tasks collected.
func (m *model) stats(t *rapid.T) {
	busy := 0
	if m.running != nil {
		busy = 1
	}
	s := m.loop.Stats()
	if s.Queued != len(m.waiting) || s.Busy != busy {
		t.Fatalf("%d wait, %d run: %+v", len(m.waiting), busy, s)
	}
	if s.Accepted != s.Completed+s.Cancelled+uint64(s.Queued+s.Busy) && !m.stopped() {
		t.Fatalf("unbalanced: %+v", s)
	}
}

// stopped reports whether the body of a cancelled task still runs, which counts twice.
func (m *model) stopped() bool { return m.running != nil && m.running.ended }

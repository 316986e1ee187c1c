package delayqueue_test

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/punctual-go/punctual/delayqueue"
	"github.com/punctual-go/punctual/internal/probe"
)

// The model of a delay queue is a slice of what is in it, sorted by time, then by order of entry.
type model struct {
	queue  *delayqueue.Queue[int]
	start  time.Time
	in     []*modelled
	all    []*modelled // those that have left too
	entry  int
	closed bool

	parked []*parked // takers that wait

	mu   sync.Mutex
	gone []parked // takers that have come back, with what they took, and not been compared yet
}

// parked is a taker that waits, and what it has come back with.
type parked struct {
	until  time.Duration // the end of its patience, which lies beside the grid of all other times
	leave  context.CancelFunc
	left   bool // it has been told to leave
	id     int
	err    error
	at     time.Duration
	itself *parked
}

type modelled struct {
	id    int
	item  *delayqueue.Item[int]
	when  time.Duration // since the start; never for the end of the clock
	entry int
}

// Delays are drawn from a coarse grid, so that ties happen, with some that are none, or too long.
var delays = rapid.OneOf(
	rapid.Custom(func(t *rapid.T) time.Duration {
		return time.Duration(rapid.IntRange(0, 6).Draw(t, "ticks")) * tick
	}),
	rapid.SampledFrom([]time.Duration{math.MinInt64, -tick, math.MaxInt64 - 1, math.MaxInt64}),
)

func TestQueueAgreesWithASortedSlice(t *testing.T) {
	for range 20 { // of a hundred cases each
		rapid.Check(t, func(t *rapid.T) {
			// What goes wrong in the bubble is reported out here, for rapid to shrink.
			rapid.SyncTest(t, compare)
		})
	}
}

func compare(t *rapid.T) {
	m := &model{queue: delayqueue.New[int](), start: time.Now()}
	defer m.end()
	t.Repeat(map[string]func(*rapid.T){
		"Put":        m.put,
		"Put again":  m.put,
		"PutAt":      m.putAt,
		"Take":       m.take,
		"Take later": m.park,
		"leave":      m.leave,
		"Take ended": m.takeEnded,
		"Take timed": m.takeTimed,
		"Poll":       m.poll,
		"Drain":      m.drain,
		"Remove":     m.remove,
		"Reset":      m.reset,
		"time":       m.advance,
		"Close":      m.close,
		"":           m.check,
	})
}

// end has all takers leave the bubble.
func (m *model) end() {
	m.queue.Close()
	for _, p := range m.parked {
		p.leave()
	}
}

func (m *model) now() time.Duration { return time.Since(m.start) }

// after is the time of an element put in now with that delay.
func (m *model) after(delay time.Duration) time.Duration {
	if delay > never-m.now() {
		return never
	}
	return m.now() + max(0, delay)
}

func (m *model) insert(e *modelled, delay time.Duration) {
	m.entry++
	e.when, e.entry = m.after(delay), m.entry
	m.in = append(m.in, e)
	slices.SortFunc(m.in, func(a, b *modelled) int {
		return cmp.Or(cmp.Compare(a.when, b.when), cmp.Compare(a.entry, b.entry))
	})
}

// due returns how many elements are due.
func (m *model) due() int {
	n := 0
	for n < len(m.in) && m.in[n].when <= m.now() {
		n++
	}
	return n
}

func (m *model) pop() int {
	e := m.in[0]
	m.in = m.in[1:]
	return e.id
}

func (m *model) put(t *rapid.T) {
	m.putWith(t, delays.Draw(t, "delay"), m.queue.Put)
}

func (m *model) putAt(t *rapid.T) {
	m.putWith(t, delays.Draw(t, "delay"), func(id int, delay time.Duration) (*delayqueue.Item[int], error) {
		return m.queue.PutAt(id, time.Now().Add(delay))
	})
}

func (m *model) putWith(t *rapid.T, delay time.Duration, put func(int, time.Duration) (*delayqueue.Item[int], error)) {
	e := &modelled{id: len(m.all)}
	item, err := put(e.id, delay)
	if m.closed {
		if err != delayqueue.ErrClosed || item != nil {
			t.Fatalf("put into a closed queue: %v, %v", item, err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	e.item = item
	m.all = append(m.all, e)
	m.insert(e, delay)
}

func (m *model) take(t *rapid.T) {
	if m.due() == 0 || m.closed {
		t.Skip("it would wait")
	}
	id, err := m.queue.Take(context.Background())
	if want := m.pop(); err != nil || id != want {
		t.Fatalf("took %d, %v; want %d", id, err, want)
	}
}

func (m *model) takeEnded(t *rapid.T) {
	want := context.Canceled
	if m.closed {
		want = delayqueue.ErrClosed
	}
	if id, err := m.queue.Take(probe.Ended()); err != want {
		t.Fatalf("took %d, %v; want %v", id, err, want)
	}
}

// takeTimed waits for the head, or not long enough. If its timeout and the head fall on one
// instant, either may win.
func (m *model) takeTimed(t *rapid.T) {
	if m.closed || len(m.parked) > 0 {
		t.Skip("it would not wait, or others would with it")
	}
	patience := time.Duration(rapid.IntRange(1, 8).Draw(t, "ticks")) * tick
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	start, end := m.now(), m.now()+patience
	head := &modelled{id: -1, when: never}
	if len(m.in) > 0 {
		head = m.in[0]
	}
	id, err := m.queue.Take(ctx)
	switch {
	case err == nil && id == head.id && head.when <= end && m.now() == max(head.when, start):
		m.pop()
	case err == context.DeadlineExceeded && head.when >= end && m.now() == end:
	default:
		t.Fatalf("took %d, %v at %v; the head is %d, due at %v, the timeout at %v",
			id, err, m.now(), head.id, head.when, end)
	}
}

func (m *model) poll(t *rapid.T) {
	due := m.due() > 0
	id, ok := m.queue.Poll()
	if ok != due {
		t.Fatalf("polled %d, %v; want %v", id, ok, due)
	}
	if !due {
		return
	}
	if want := m.pop(); id != want {
		t.Fatalf("polled %d, want %d", id, want)
	}
}

func (m *model) drain(t *rapid.T) {
	most := rapid.SampledFrom([]int{math.MinInt, 0, 1, 2, 3, math.MaxInt}).Draw(t, "max")
	var want []int
	for n := m.due(); len(want) < min(n, most); {
		want = append(want, m.pop())
	}
	if got := m.queue.Drain(most); !slices.Equal(got, want) {
		t.Fatalf("drained %v, want %v", got, want)
	}
}

// some picks an element, one that has left perhaps, and tells where it is in the model, or -1.
func (m *model) some(t *rapid.T) (e *modelled, index int) {
	if len(m.all) == 0 {
		t.Skip("nothing put yet")
	}
	e = m.all[rapid.IntRange(0, len(m.all)-1).Draw(t, "id")]
	return e, slices.Index(m.in, e)
}

func (m *model) remove(t *rapid.T) {
	e, i := m.some(t)
	if ok := e.item.Remove(); ok != (i >= 0) {
		t.Fatalf("Remove of %d = %v, want %v", e.id, ok, !ok)
	}
	if i >= 0 {
		m.in = slices.Delete(m.in, i, i+1)
	}
}

func (m *model) reset(t *rapid.T) {
	e, i := m.some(t)
	delay := delays.Draw(t, "delay")
	if ok := e.item.Reset(delay); ok != (i >= 0) {
		t.Fatalf("Reset of %d = %v, want %v", e.id, ok, !ok)
	}
	if i >= 0 {
		m.in = slices.Delete(m.in, i, i+1)
		m.insert(e, delay)
	}
}

// park has a taker wait, on a goroutine that does not come back for more.
func (m *model) park(t *rapid.T) {
	patience := time.Duration(rapid.IntRange(0, 8).Draw(t, "ticks"))*tick + tick/2
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	p := &parked{until: m.now() + patience, leave: cancel}
	p.itself = p
	if !m.closed {
		m.parked = append(m.parked, p)
	}
	go func() {
		defer cancel()
		id, err := m.queue.Take(ctx)
		m.mu.Lock()
		defer m.mu.Unlock()
		if m.closed && err == delayqueue.ErrClosed {
			return
		}
		p.id, p.err, p.at = id, err, m.now()
		m.gone = append(m.gone, *p)
	}()
}

// leave has a taker give up.
func (m *model) leave(t *rapid.T) {
	if len(m.parked) == 0 {
		t.Skip("nobody waits")
	}
	p := rapid.SampledFrom(m.parked).Draw(t, "taker")
	p.left = true
	p.leave()
}

// settle compares what takers have come back with, now, with what they should: as many as there are
// have taken what is due, and of the others those who have no patience, or were told to, have left.
func (m *model) settle(t *rapid.T) {
	synctest.Wait()
	m.mu.Lock()
	defer m.mu.Unlock()
	var taken, want []int
	for _, p := range m.gone {
		i := slices.Index(m.parked, p.itself)
		if i < 0 || p.at != m.now() {
			t.Fatalf("a taker of %d came back at %v with %d, %v", len(m.parked), p.at, p.id, p.err)
		}
		m.parked = slices.Delete(m.parked, i, i+1)
		over := p.until <= m.now() && p.err == context.DeadlineExceeded || p.left && p.err == context.Canceled
		if p.err == nil {
			taken = append(taken, p.id)
		} else if !over {
			t.Fatalf("a taker with patience until %v left at %v: %v", p.until, p.at, p.err)
		}
	}
	m.gone = nil
	for range min(m.due(), len(taken)+len(m.parked)) {
		want = append(want, m.pop())
	}
	slices.Sort(taken)
	slices.Sort(want)
	if !slices.Equal(taken, want) {
		t.Fatalf("takers have taken %v, want %v; %d wait", taken, want, len(m.parked))
	}
	for _, p := range m.parked {
		if p.left || p.until <= m.now() {
			t.Fatalf("a taker with patience until %v, told to leave %v, waits at %v", p.until, p.left, m.now())
		}
	}
}

// advance stops halfway between any two points of the grid, where patience ends.
func (m *model) advance(t *rapid.T) {
	for range 2 * rapid.IntRange(1, 4).Draw(t, "ticks") {
		m.settle(t)
		time.Sleep(tick / 2)
	}
}

// close comes late and seldom, so that most steps are those of an open queue.
func (m *model) close(t *rapid.T) {
	if len(m.all) < 10 || rapid.IntRange(0, 3).Draw(t, "chance") > 0 {
		t.Skip("too early")
	}
	m.mu.Lock()
	m.closed = true
	m.parked = nil
	m.mu.Unlock()
	m.queue.Close()
}

// check compares all that the queue tells of itself, and looks inside.
func (m *model) check(t *rapid.T) {
	m.settle(t)
	if err := m.queue.Validate(true); err != nil {
		t.Fatal(err)
	}
	if n := m.queue.Parked(); n != len(m.parked) {
		t.Fatalf("%d takers wait, want %d", n, len(m.parked))
	}
	if n := m.queue.Len(); n != len(m.in) {
		t.Fatalf("Len() = %d, want %d", n, len(m.in))
	}
	id, at, ok := m.queue.Peek()
	if ok != (len(m.in) > 0) {
		t.Fatalf("Peek() tells of %d elements: %v", len(m.in), ok)
	}
	if ok && (id != m.in[0].id || at.Sub(m.start) != m.in[0].when) {
		t.Fatalf("Peek() = %d at %v, want %d at %v", id, at.Sub(m.start), m.in[0].id, m.in[0].when)
	}
	i := 0
	for at, id := range m.queue.All() {
		if i == len(m.in) || id != m.in[i].id || at.Sub(m.start) != m.in[i].when {
			t.Fatalf("All() has %d at %v in place %d", id, at.Sub(m.start), i)
		}
		i++
	}
	if i != len(m.in) {
		t.Fatalf("All() has %d elements, want %d", i, len(m.in))
	}
}

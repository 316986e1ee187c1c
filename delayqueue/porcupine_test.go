package delayqueue_test

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/punctual-go/punctual/delayqueue"
)

// A delay queue is linearizable if each operation of a history seems to happen at one instant between
// its call and its return. Here the instant is on the clock as well: an operation carries the clock
// as read just before its call and just after its return, and its instant lies between. The queue
// reads the clock itself, so an element's deadline is not known but bounded, by the bounds of
// the instant at which it was put in.
//
// The state of the model is therefore a set of inequalities between the present, the deadlines and
// the clock's zero; an answer is legal if the inequalities that it implies can be added. No
// tolerance is needed, and no clock but a monotonic one.

// operation is what a client asks, and when.
type operation struct {
	kind  kind
	id    int           // of Put, Remove, Reset
	delay time.Duration // of Put and Reset; at least 0
	most  int           // of Drain
	from  time.Duration // the clock before the call
}

type kind string

const (
	opPut    kind = "Put"
	opTake   kind = "Take"
	opPoll   kind = "Poll"
	opDrain  kind = "Drain"
	opPeek   kind = "Peek"
	opRemove kind = "Remove"
	opReset  kind = "Reset"
	opLen    kind = "Len"
)

// answer is what the queue says.
type answer struct {
	ok  bool
	ids []int         // of Take, Poll, Drain, Peek
	at  time.Duration // of Peek
	n   int           // of Len
	to  time.Duration // the clock after the return
}

// zone is a state of the model: the elements, in the order in which they were put in, and for each
// two of its variables an upper bound on their difference. The variables are the zero of the clock,
// the present, and the deadlines. The bounds are as tight as they imply each other.
type zone struct {
	ids   []int
	bound [][]int64 // bound[i][j] >= x[i] - x[j]
}

const (
	zero    = 0
	present = 1
	first   = 2 // the variable of ids[0]

	unbounded = math.MaxInt64 / 4
)

func emptyZone() zone {
	return zone{bound: [][]int64{{0, unbounded}, {0, 0}}}
}

func (z zone) clone() zone {
	z.ids = slices.Clone(z.ids)
	z.bound = slices.Clone(z.bound)
	for i := range z.bound {
		z.bound[i] = slices.Clone(z.bound[i])
	}
	return z
}

func (z zone) equal(o zone) bool {
	return slices.Equal(z.ids, o.ids) && slices.EqualFunc(z.bound, o.bound, slices.Equal[[]int64])
}

// demand adds x[i] - x[j] <= c and reports whether that is possible.
func (z zone) demand(i, j int, c time.Duration) bool {
	b := int64(c)
	if z.bound[j][i]+b < 0 {
		return false
	}
	if b >= z.bound[i][j] {
		return true
	}
	for p := range z.bound {
		for q := range z.bound {
			z.bound[p][q] = min(z.bound[p][q], z.bound[p][i]+b+z.bound[j][q])
		}
	}
	return true
}

// elapse moves the present to some later instant within from..to.
func (z zone) elapse(from, to time.Duration) bool {
	for j := range z.bound {
		if j != present {
			z.bound[present][j] = unbounded
		}
	}
	return z.demand(zero, present, -from) && z.demand(present, zero, to)
}

func (z *zone) put(id int, delay time.Duration) {
	z.ids = append(z.ids, id)
	var row []int64
	for i := range z.bound {
		row = append(row, z.bound[present][i]+int64(delay))
		z.bound[i] = append(z.bound[i], z.bound[i][present]-int64(delay))
	}
	z.bound = append(z.bound, append(row, 0))
}

func (z *zone) drop(id int) bool {
	i := slices.Index(z.ids, id)
	if i < 0 {
		return false
	}
	z.ids = slices.Delete(z.ids, i, i+1)
	z.bound = slices.Delete(z.bound, first+i, first+i+1)
	for j := range z.bound {
		z.bound[j] = slices.Delete(z.bound[j], first+i, first+i+1)
	}
	return true
}

// head demands that id is the first to be due; among equals the one that was put in first is.
func (z zone) head(id int) bool {
	h := slices.Index(z.ids, id)
	for i := range z.ids {
		later := time.Duration(0)
		if i < h {
			later = 1
		}
		if i != h && h >= 0 && !z.demand(first+h, first+i, -later) {
			return false
		}
	}
	return h >= 0
}

// pop demands that id is the head and due, and takes it out.
func (z *zone) pop(id int) bool {
	return z.head(id) && z.demand(first+slices.Index(z.ids, id), present, 0) && z.drop(id)
}

// nothingDue demands just that.
func (z zone) nothingDue() bool {
	for i := range z.ids {
		if !z.demand(present, first+i, -1) {
			return false
		}
	}
	return true
}

// step reports whether the queue may give that answer in the state z, and makes z the next one.
func (z *zone) step(op operation, a answer) bool {
	if op.kind == opTake && !a.ok {
		return true // its context had ended
	}
	if !z.elapse(op.from, a.to) {
		return false
	}
	switch op.kind {
	case opPut:
		z.put(op.id, op.delay)
		return true
	case opTake:
		return z.pop(a.ids[0])
	case opPoll:
		if !a.ok {
			return z.nothingDue()
		}
		return z.pop(a.ids[0])
	case opDrain:
		for _, id := range a.ids {
			if !z.pop(id) {
				return false
			}
		}
		return len(a.ids) == op.most || z.nothingDue()
	case opPeek:
		if !a.ok {
			return len(z.ids) == 0
		}
		if !z.head(a.ids[0]) {
			return false
		}
		i := first + slices.Index(z.ids, a.ids[0])
		return z.demand(i, zero, a.at) && z.demand(zero, i, -a.at)
	case opRemove:
		return z.drop(op.id) == a.ok
	case opReset:
		if z.drop(op.id) {
			z.put(op.id, op.delay)
			return a.ok
		}
		return !a.ok
	default:
		return a.n == len(z.ids)
	}
}

var timedQueue = porcupine.Model{
	Init: func() any { return emptyZone() },
	Step: func(state, input, output any) (bool, any) {
		z := state.(zone).clone()
		ok := z.step(input.(operation), output.(answer))
		return ok, z
	},
	Equal: func(a, b any) bool { return a.(zone).equal(b.(zone)) },
}

// client performs random operations and notes them.
type client struct {
	id      int
	rng     *rand.Rand
	history *history
	notes   []porcupine.Operation
}

// history is what the clients of one queue share.
type history struct {
	queue *delayqueue.Queue[int]
	start time.Time
	stamp atomic.Int64 // orders calls and returns

	mu    sync.Mutex
	items []*delayqueue.Item[int] // by id; nil while it is being put in
}

func newHistory() *history {
	start := time.Now()
	return &history{queue: delayqueue.New[int](), start: start}
}

func (h *history) now() time.Duration { return time.Since(h.start) }

// some returns an item that has been put in, by whomever, or nil.
func (h *history) some(rng *rand.Rand) (id int, item *delayqueue.Item[int]) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.items) == 0 {
		return 0, nil
	}
	id = rng.IntN(len(h.items))
	return id, h.items[id]
}

func (h *history) newID() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.items = append(h.items, nil)
	return len(h.items) - 1
}

func (h *history) put(id int, delay time.Duration) bool {
	item, err := h.queue.Put(id, delay)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.items[id] = item
	return err == nil
}

// do performs op and notes it.
func (c *client) do(op operation, call func() answer) answer {
	h := c.history
	called := h.stamp.Add(1)
	op.from = h.now()
	a := call()
	a.to = h.now()
	c.notes = append(c.notes, porcupine.Operation{
		ClientId: c.id, Input: op, Call: called, Output: a, Return: h.stamp.Add(1),
	})
	return a
}

func (c *client) act() {
	h, q := c.history, c.history.queue
	switch k := c.rng.IntN(20); {
	case k < 7:
		op := operation{kind: opPut, id: h.newID(), delay: c.delay()}
		c.do(op, func() answer { return answer{ok: h.put(op.id, op.delay)} })
	case k < 10:
		c.do(operation{kind: opPoll}, func() answer { return one(q.Poll()) })
	case k < 14:
		ctx, cancel := context.WithCancel(context.Background())
		patience := c.rng.IntN(30)
		go func() {
			for range patience {
				runtime.Gosched()
			}
			cancel()
		}()
		c.take(ctx)
	case k < 15:
		op := operation{kind: opDrain, most: c.rng.IntN(4)}
		c.do(op, func() answer { return answer{ids: q.Drain(op.most)} })
	case k < 16:
		c.do(operation{kind: opPeek}, func() answer {
			id, at, ok := q.Peek()
			return answer{ok: ok, ids: []int{id}, at: at.Sub(h.start)}
		})
	case k < 18:
		if id, item := h.some(c.rng); item != nil {
			c.do(operation{kind: opRemove, id: id}, func() answer { return answer{ok: item.Remove()} })
		}
	case k < 19:
		if id, item := h.some(c.rng); item != nil {
			op := operation{kind: opReset, id: id, delay: c.delay()}
			c.do(op, func() answer { return answer{ok: item.Reset(op.delay)} })
		}
	default:
		c.do(operation{kind: opLen}, func() answer { return answer{n: q.Len()} })
	}
}

func (c *client) take(ctx context.Context) {
	c.do(operation{kind: opTake}, func() answer {
		id, err := c.history.queue.Take(ctx)
		return one(id, err == nil)
	})
}

// delay is often none, so that many elements are due, and seldom long.
func (c *client) delay() time.Duration {
	return time.Duration(max(0, c.rng.IntN(60)-30)) * time.Microsecond
}

func one(id int, ok bool) answer { return answer{ok: ok, ids: []int{id}} }

// record has some clients use a new queue, then empties it, and returns all that was done.
func record(seed uint64) []porcupine.Operation {
	const clients, operations = 4, 10
	h := newHistory()
	defer h.queue.Close()
	all := make([]*client, clients)
	var wg sync.WaitGroup
	for i := range all {
		c := &client{id: i, rng: rand.New(rand.NewPCG(seed, uint64(i))), history: h}
		all[i] = c
		wg.Go(func() {
			for range operations {
				c.act()
			}
		})
	}
	wg.Wait()
	last := all[0]
	for h.queue.Len() > 0 {
		last.take(context.Background())
	}
	last.do(operation{kind: opPeek}, func() answer { _, _, ok := h.queue.Peek(); return answer{ok: ok} })
	var notes []porcupine.Operation
	for _, c := range all {
		notes = append(notes, c.notes...)
	}
	return notes
}

func TestConcurrentHistoriesAreLinearizableInTime(t *testing.T) {
	defer goleak.VerifyNone(t)
	const histories, atOnce = 3000, 4 // several at once use the time in which takers wait
	var next atomic.Uint64
	bad := make(chan string, atOnce)
	all(atOnce, func(int) {
		for seed := next.Add(1); seed <= histories && len(bad) == 0; seed = next.Add(1) {
			notes := record(seed)
			if result := porcupine.CheckOperationsTimeout(timedQueue, notes, time.Minute); result != porcupine.Ok {
				bad <- fmt.Sprintf("seed %d: %s\n%s", seed, result, describe(notes))
				return
			}
		}
	})
	close(bad)
	for text := range bad {
		t.Error(text)
	}
}

func describe(notes []porcupine.Operation) string {
	slices.SortFunc(notes, func(a, b porcupine.Operation) int { return cmp.Compare(a.Call, b.Call) })
	var text strings.Builder
	for _, n := range notes {
		fmt.Fprintf(&text, "%3d..%3d client %d %+v: %+v\n", n.Call, n.Return, n.ClientId, n.Input, n.Output)
	}
	return text.String()
}

// The model must refuse what a faulty queue would answer, and nothing else.
func TestTheTimedModelTellsGoodHistoriesFromBad(t *testing.T) {
	puts := func(id int, delay, from, to time.Duration) porcupine.Operation {
		return noted(operation{kind: opPut, id: id, delay: delay, from: from}, answer{ok: true, to: to})
	}
	takes := func(id int, from, to time.Duration) porcupine.Operation {
		return noted(operation{kind: opTake, from: from}, answer{ok: true, ids: []int{id}, to: to})
	}
	none := func(from, to time.Duration) porcupine.Operation {
		return noted(operation{kind: opPoll, from: from}, answer{to: to})
	}
	removes := func(id int, ok bool, at time.Duration) porcupine.Operation {
		return noted(operation{kind: opRemove, id: id, from: at}, answer{ok: ok, to: at})
	}
	resets := func(id int, delay, at time.Duration) porcupine.Operation {
		return noted(operation{kind: opReset, id: id, delay: delay, from: at}, answer{ok: true, to: at})
	}
	peeks := func(id int, shown, at time.Duration) porcupine.Operation {
		return noted(operation{kind: opPeek, from: at}, answer{ok: true, ids: []int{id}, at: shown, to: at})
	}
	drains := func(most int, at time.Duration, ids ...int) porcupine.Operation {
		return noted(operation{kind: opDrain, most: most, from: at}, answer{ids: ids, to: at})
	}
	counts := func(n int, at time.Duration) porcupine.Operation {
		return noted(operation{kind: opLen, from: at}, answer{n: n, to: at})
	}
	tests := []struct {
		name string
		good bool
		ops  []porcupine.Operation
	}{
		{"on time", true, []porcupine.Operation{puts(1, 10, 0, 0), none(9, 9), takes(1, 10, 10)}},
		{"early", false, []porcupine.Operation{puts(1, 10, 0, 0), takes(1, 9, 9)}},
		{"perhaps on time", true, []porcupine.Operation{puts(1, 10, 0, 5), takes(1, 9, 10)}},
		{"surely early", false, []porcupine.Operation{puts(1, 10, 3, 5), takes(1, 9, 12)}},
		{"twice", false, []porcupine.Operation{puts(1, 0, 0, 0), takes(1, 1, 1), takes(1, 2, 2)}},
		{"never put", false, []porcupine.Operation{takes(1, 1, 1)}},
		{"in order", true, []porcupine.Operation{puts(1, 5, 0, 0), puts(2, 3, 0, 0), takes(2, 9, 9), takes(1, 9, 9)}},
		{"out of order", false, []porcupine.Operation{puts(1, 3, 0, 0), puts(2, 5, 0, 0), takes(2, 9, 9)}},
		{"equals in order", true, []porcupine.Operation{puts(1, 5, 0, 0), puts(2, 4, 1, 1), takes(1, 9, 9), takes(2, 9, 9)}},
		{"equals out of order", false, []porcupine.Operation{puts(1, 5, 0, 0), puts(2, 4, 1, 1), takes(2, 9, 9)}},
		{"order not known", true, []porcupine.Operation{puts(1, 5, 0, 2), puts(2, 4, 1, 2), takes(2, 9, 9)}},
		{"order told by a Peek", false, []porcupine.Operation{
			puts(1, 5, 0, 2), puts(2, 4, 1, 2), peeks(1, 5, 3), takes(2, 9, 9),
		}},
		{"a Peek of another time", false, []porcupine.Operation{puts(1, 5, 0, 2), peeks(1, 8, 3)}},
		{"nothing while one is due", false, []porcupine.Operation{puts(1, 5, 0, 0), none(5, 5)}},
		{"nothing while one may be due", true, []porcupine.Operation{puts(1, 5, 0, 1), none(5, 5)}},
		{"time does not go back", false, []porcupine.Operation{puts(1, 5, 0, 1), none(5, 5), takes(1, 5, 5)}},
		{"removed", true, []porcupine.Operation{puts(1, 0, 0, 0), removes(1, true, 1), none(2, 2), removes(1, false, 3)}},
		{"removed twice", false, []porcupine.Operation{puts(1, 0, 0, 0), removes(1, true, 1), removes(1, true, 1)}},
		{"removed in vain", false, []porcupine.Operation{puts(1, 0, 0, 0), removes(1, false, 1)}},
		{"taken though removed", false, []porcupine.Operation{puts(1, 0, 0, 0), removes(1, true, 1), takes(1, 1, 1)}},
		{"reset later", true, []porcupine.Operation{puts(1, 1, 0, 0), resets(1, 5, 0), none(4, 4), takes(1, 5, 5)}},
		{"reset ignored", false, []porcupine.Operation{puts(1, 1, 0, 0), resets(1, 5, 0), takes(1, 4, 4)}},
		{"reset keeps its place", false, []porcupine.Operation{
			puts(1, 5, 0, 0), puts(2, 5, 0, 0), resets(1, 5, 0), takes(1, 5, 5),
		}},
		{"drained", true, []porcupine.Operation{puts(1, 0, 0, 0), puts(2, 9, 0, 0), drains(5, 1, 1), counts(1, 1)}},
		{"drained too little", false, []porcupine.Operation{puts(1, 0, 0, 0), puts(2, 0, 0, 0), drains(5, 1, 1)}},
		{"miscounted", false, []porcupine.Operation{puts(1, 0, 0, 0), counts(0, 1)}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for i := range test.ops {
				test.ops[i].Call, test.ops[i].Return = int64(2*i), int64(2*i+1)
			}
			require.Equal(t, test.good, porcupine.CheckOperations(timedQueue, test.ops))
		})
	}
}

func noted(op operation, a answer) porcupine.Operation {
	return porcupine.Operation{Input: op, Output: a}
}

package runqueue

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/clock"
	"github.com/punctual-go/punctual/internal/parking"
	"github.com/punctual-go/punctual/internal/probe"
	"github.com/punctual-go/punctual/internal/shardcount"
)

// shardedQueue is a queue in shards with the lock that a pool would hold.
type shardedQueue struct {
	*Delayed
	mu    sync.Mutex
	clock clock.Clock
	batch Batch
	dealt int // tasks that were in a batch
}

func newShardedQueue(shards int, s *Sequence) *shardedQueue {
	shardcount.Set(shards)
	defer shardcount.Set(0)
	q := &shardedQueue{clock: clock.New(1)}
	if s == nil {
		s = NewSequence(q.clock)
	}
	q.Delayed = NewDelayed(NewInbox(new(cell.Plan), s))
	q.Shards = NewShards(q.clock, s)
	q.Shards.Open()
	return q
}

// schedule puts a task into its shard, or under the lock where a shard would not have it.
func (q *shardedQueue) schedule(c *cell.Cell, at int64) {
	if ok, _ := q.Shards.Put(c, at, 0); ok {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.place(c, max(at, q.clock.Now()))
}

// late puts a task into the queue that should have run by now, as is the next run of a burst.
func (q *shardedQueue) late(c *cell.Cell) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.place(c, q.clock.Now()-int64(time.Millisecond))
}

// place puts c into the queue itself.
func (q *shardedQueue) place(c *cell.Cell, at int64) {
	if q.batch.Follows(at) {
		q.batch.Recall(q.line)
	}
	c.When, c.Order = at, q.Shards.sequence.Next()
	q.Push(c, at)
}

// execute puts a task into the line.
func (q *shardedQueue) execute(c *cell.Cell) {
	q.line.Put(Entry{Slot: Slot{Cell: c}, Stamp: Stamp{When: q.clock.Now()}})
}

// executeBare is execute for a task that cannot be cancelled.
func (q *shardedQueue) executeBare(c *cell.Cell) {
	body := func(context.Context) error { return itself{c} }
	q.line.Put(Entry{Slot: Slot{Body: body}, Stamp: Stamp{When: q.clock.Now()}})
}

// itself is what a bare task returns, so that a test knows which it is.
type itself struct{ *cell.Cell }

func (itself) Error() string { return "" }

// cancel is what a future and its pool do.
func (q *shardedQueue) cancel(c *cell.Cell) bool {
	if !settle(c) {
		return false
	}
	if !q.Shards.Withdraw(c) {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.Remove(c)
	}
	return true
}

// take takes the first task if it is due, and begins it.
func (q *shardedQueue) take(seen func(c *cell.Cell)) {
	q.mu.Lock()
	defer q.mu.Unlock()
	seen(nil)
	now := q.clock.Now()
	if c := q.pop(now); c != nil && settle(c) {
		c.Started = now
		seen(c)
	}
}

// pop takes out the first task if it is due. A row of bare ones becomes a batch.
func (q *shardedQueue) pop(now int64) *cell.Cell {
	if q.batch.Left() == 0 {
		if head, due := q.Await(); head == parking.Nothing || !due && head > now {
			return nil
		}
		n := q.Row()
		if n < 2 {
			e := q.Pop(now)
			if e.Body == nil {
				return e.Cell
			}
			return bare(e.Body, e.When)
		}
		q.batch.Fill(q.line, n)
		q.dealt += n
	}
	return bare(q.batch.Claim())
}

func bare(b Body, when int64) *cell.Cell {
	var self itself
	errors.As(b(context.Background()), &self)
	self.When = when
	return self.Cell
}

// order finds tasks that are taken out of order, as they are taken. Ticks pass as submissions
// return; they tell what came after what.
type order struct {
	tick atomic.Int64

	// What has been taken, without those that a later one follows in the right order. The lock of
	// the queue guards it, and what follows.
	last []taken
	ran  int
	bad  []string
}

// submission is a task with the ticks around its submission, and whether it has begun, or was
// cancelled.
type submission struct {
	before, after atomic.Int64
	settled       atomic.Bool
}

// settle reports whether the caller is the one who begins the task, or cancels it.
func settle(c *cell.Cell) bool {
	return c.Plan.Detail.(*submission).settled.CompareAndSwap(false, true)
}

// taken is a task that has been taken.
type taken struct{ at, when, submitted int64 }

// These stand for times in submissions.
const (
	now     = -1 - iota
	nowBare // a task that cannot be cancelled
	late
)

// submit submits a task for a time.
func (o *order) submit(q *shardedQueue, at int64) *cell.Cell {
	s := new(submission)
	c := &cell.Cell{Plan: &cell.Plan{Detail: s}, Body: func(context.Context) error { return nil }}
	s.before.Store(o.tick.Load())
	switch at {
	case now:
		q.execute(c)
	case nowBare:
		q.executeBare(c)
	case late:
		q.late(c)
	default:
		q.schedule(c, at)
	}
	s.after.Store(o.tick.Add(1))
	return c
}

// take takes a task and compares it with those before: each that was taken when the submission of
// this one had returned, and is for a later time, or was submitted later for the same, is wrong.
func (o *order) take(q *shardedQueue) {
	var at int64
	q.take(func(c *cell.Cell) {
		if c == nil {
			at = o.tick.Load()
			return
		}
		o.ran++
		s := c.Plan.Detail.(*submission)
		if c.When > q.clock.Now() {
			o.bad = append(o.bad, "early")
		}
		o.compare(c.When, s.after.Load())
		o.note(taken{at, c.When, s.before.Load()})
	})
}

func (o *order) compare(when, returned int64) {
	if returned == 0 {
		return
	}
	for _, x := range o.last { // the first has the latest time of all after it
		if x.at < returned {
			continue
		}
		if x.when > when || x.when == when && x.submitted >= returned {
			o.bad = append(o.bad, fmt.Sprintf("one for %d comes after one for %d", when, x.when))
		}
		return
	}
}

func (o *order) note(t taken) {
	for n := len(o.last); n > 0; n-- {
		if x := o.last[n-1]; x.when > t.when || x.when == t.when && x.submitted > t.submitted {
			break
		}
		o.last = o.last[:n-1]
	}
	o.last = append(o.last, t)
}

// shardedTasks is how many tasks the test of the order schedules: a million, or as many as the
// environment variable PUNCTUAL_ORDER says.
func shardedTasks(t *testing.T) int {
	n, err := strconv.Atoi(cmp.Or(os.Getenv("PUNCTUAL_ORDER"), "1000000"))
	require.NoError(t, err)
	if testing.Short() || probe.RaceEnabled {
		n = min(n, 100_000)
	}
	return n
}

// Eight submitters schedule tasks, of which many are due at one moment, execute others, and cancel
// a part; eight workers take what is due.
func TestTasksOfAllShardsComeInOneOrder(t *testing.T) {
	for _, tt := range []struct {
		name     string
		shards   int
		sequence *Sequence
	}{{"two", 2, nil}, {"many", 64, nil}, {"counted", 64, new(Sequence)}} {
		t.Run(tt.name, func(t *testing.T) {
			compareOrder(t, newShardedQueue(tt.shards, tt.sequence), shardedTasks(t)/3)
		})
	}
}

func compareOrder(t *testing.T, q *shardedQueue, n int) {
	const submitters, workers = 8, 8
	o := new(order)
	var submitting, taking sync.WaitGroup
	var cancelled, over atomic.Int64
	for s := range submitters {
		submitting.Go(func() { cancelled.Add(int64(submitSome(q, o, n/submitters, uint64(s)))) })
	}
	for range workers {
		taking.Go(func() {
			for over.Load() == 0 || q.waits() {
				o.take(q)
			}
		})
	}
	submitting.Wait()
	over.Store(1)
	taking.Wait()
	assert.Empty(t, o.bad, "of %d", o.ran)
	assert.EqualValues(t, o.tick.Load(), o.ran+int(cancelled.Load()))
	assert.NotZero(t, q.dealt)
	assert.NotZero(t, cancelled.Load())
	assert.NoError(t, q.Validate(q.clock.Now()))
}

// submitSome submits so many tasks, at times of which many are equal, and returns how many it has
// cancelled.
func submitSome(q *shardedQueue, o *order, n int, seed uint64) (cancelled int) {
	rng := rand.New(rand.NewPCG(seed, 1))
	recent := make([]*cell.Cell, 64)
	for i := range n {
		const tie = int64(50 * time.Microsecond)
		at := (q.clock.Now() + rng.Int64N(20*tie)) / tie * tie
		slot := &recent[i%len(recent)]
		if old := *slot; old != nil && rng.IntN(3) == 0 && q.cancel(old) {
			cancelled++
		}
		switch rng.IntN(32) {
		case 0, 1, 2:
			at = now
		case 3:
			at = late
		case 4, 5, 6, 7: // in a row, which cannot be cancelled
			for range 3 {
				o.submit(q, nowBare)
			}
			at = now
		}
		*slot = o.submit(q, at)
	}
	return cancelled
}

// waits reports whether there are tasks.
func (q *shardedQueue) waits() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.Len()+q.batch.Left() > 0
}

// A task comes as the pool looks at the heads: the pool sees it, or it is told.
func TestATaskThatComesAsThePoolLooksIsSeenOrTold(t *testing.T) {
	q, r := newShardedQueue(2, nil), newRival(t)
	met, outcomes := 0, map[bool]int{}
	for round := range raceRounds(&met) {
		// The pool waits for a task that is cancelled, so that it comes to wait for longer.
		first, second := new(cell.Cell), new(cell.Cell)
		now := q.clock.Now()
		q.Shards.Put(first, now+int64(time.Hour), 0)
		q.Await()
		require.True(t, q.Shards.Withdraw(first))
		at := now + int64(time.Hour+time.Minute)
		var told, ok bool
		var seen int64
		r.with(func() { ok, told = q.Shards.Put(second, at, 0) }, func() {
			for range rand.IntN(20) {
				q.Head()
			}
			seen, _ = q.Await()
		})
		require.True(t, ok)
		require.True(t, told || seen == at, "round %d", round)
		outcomes[seen == at]++
		met = min(outcomes[true], outcomes[false])
		require.True(t, q.Shards.Withdraw(second))
		q.Await()
	}
}

// A sweep that is held up in one shard has said already how far it goes: what comes to another that
// it has passed by is late.
func TestASweepSaysHowFarItGoesBeforeItLooks(t *testing.T) {
	q := newShardedQueue(2, nil)
	by, first := q.clock.Now()+int64(time.Hour), new(cell.Cell)
	for first.Started != -2 { // until it is in the second shard
		q.Shards.Withdraw(first)
		ok, _ := q.Shards.Put(first, by, 0)
		require.True(t, ok)
	}
	second := q.Shards.home(first)
	second.mu.Lock()
	swept := make(chan struct{})
	go func() {
		defer close(swept)
		q.sweep(by)
	}()
	for begin := time.Now(); q.Shards.upTo.Load() != by && time.Since(begin) < time.Second; {
		runtime.Gosched()
	}
	ok, _ := q.Shards.Put(new(cell.Cell), by-1, 0) // its turn is that of the first
	assert.False(t, ok, "it would be overtaken by what is swept")
	second.mu.Unlock()
	<-swept
}

// Between the look at a head and its taking, whoever has it may cancel it.
func TestATaskThatIsCancelledAsItIsTakenLeavesNothingThatIsNotDue(t *testing.T) {
	q := newShardedQueue(2, nil)
	due, later := new(cell.Cell), new(cell.Cell)
	now := q.clock.Now()
	at := now + int64(time.Hour)
	later.When, later.Order = at+1, q.Shards.sequence.Next()
	q.Push(later, later.When)
	ok, _ := q.Shards.Put(due, at, 0)
	require.True(t, ok)
	when, _ := q.Await()
	require.Equal(t, at, when)
	require.True(t, q.Shards.Withdraw(due))
	require.Equal(t, Entry{}, q.Pop(at))
	require.Equal(t, 1, q.Len())
	require.Same(t, later, q.Pop(at+1).Cell)
}

func TestAClockThatMovesInTicksGivesNoNumbers(t *testing.T) {
	var reading int64
	every := func(n int64) func() int64 {
		return func() int64 { reading++; return reading / n }
	}
	assert.True(t, isFine(every(1)))
	assert.False(t, isFine(every(2)))
	assert.False(t, isFine(every(50)))
	synctest.Test(t, func(t *testing.T) {
		s := NewSequence(clock.New(1))
		assert.EqualValues(t, []uint64{1, 2, 3}, []uint64{s.Next(), s.At(7), s.Next()})
		assert.EqualValues(t, 3, s.count.Load())
	})
}

// What has been swept, or is closed, is for the pool; and so is a cancellation where there may be
// more to do.
func TestShardsLeaveToThePoolWhatIsNotForThem(t *testing.T) {
	q := newShardedQueue(2, nil)
	put := func(at int64) bool {
		c := new(cell.Cell)
		ok, _ := q.Shards.Put(c, at, 0)
		if !ok {
			assert.Equal(t, new(cell.Cell), c)
		}
		return ok
	}
	now := q.clock.Now()
	assert.False(t, put(now-1), "due")
	assert.False(t, put(clock.Never), "never due")
	ahead := now + int64(time.Hour)
	q.sweep(ahead)
	assert.False(t, put(ahead), "swept")
	assert.True(t, put(ahead+1))
	assert.False(t, q.Shards.CloseIfEmpty())
	c := new(cell.Cell)
	q.Shards.Put(c, ahead+2, 0)
	q.Shards.SetCareful(true)
	assert.False(t, q.Shards.Withdraw(c))
	q.Shards.SetCareful(false)
	assert.True(t, q.Shards.Withdraw(c))
	assert.False(t, q.Shards.Withdraw(c))
	q.Shards.Close()
	assert.False(t, put(ahead+3), "closed")
	require.NoError(t, q.Validate(ahead))
	assert.Equal(t, 1, q.Len())
}

// A task that is given another time stays at home, unless that has been swept.
func TestATaskWithAnotherTimeWaitsAtHome(t *testing.T) {
	q := newShardedQueue(2, nil)
	c := new(cell.Cell)
	ahead := q.clock.Now() + int64(time.Hour)
	q.Shards.Put(c, ahead, 0)
	for _, at := range []int64{ahead + 5, ahead + 2} {
		require.True(t, q.Remove(c))
		require.False(t, q.Holds(c))
		q.SetTime(c, at)
		q.Push(c, at)
		require.True(t, q.Shards.has(c))
		require.NoError(t, q.Validate(ahead))
	}
	q.sweep(ahead + 2)
	require.False(t, q.Shards.has(c))
	require.True(t, q.Holds(c))
	require.True(t, q.Remove(c))
	q.SetTime(c, ahead+1)
	q.Push(c, ahead+1)
	require.False(t, q.Shards.has(c))
	require.NoError(t, q.Validate(ahead+2))
	require.Same(t, c, q.Pop(ahead+2).Cell)
}

// What is due in large shards is cut out in one piece, beside what is due in small ones, and what
// is cut out already.
func TestASweepOfLargeShardsTakesWhatIsDue(t *testing.T) {
	const n = 3000
	for _, shards := range []int{1, 2, 64} { // in 64 none is large
		for _, due := range []int{0, 900, n - 1, n} {
			q := newShardedQueue(shards, nil)
			base := q.clock.Now() + int64(time.Hour)
			put := func(at int64) {
				ok, _ := q.Shards.Put(new(cell.Cell), at, 0)
				require.True(t, ok)
			}
			for i := range n {
				put(base + int64(i*7919%n))
			}
			by := base + int64(due) - 1
			got := func(from, to int64) {
				for at := from; at < to; at++ {
					require.Equal(t, at, q.Pop(by).Cell.When)
					require.NoError(t, q.Validate(by))
				}
			}
			got(base, base+int64(due/2))
			require.Equal(t, n-due/2, q.Len())
			for i := range n { // another wave, while a part of the first is left
				put(by + 1 + int64(i*7919%n))
			}
			by += n
			for at := base + int64(due/2); at <= by; at++ {
				require.Equal(t, at, q.Pop(by).Cell.When)
				if at >= base+int64(due) && at < base+n {
					require.Equal(t, at, q.Pop(by).Cell.When) // of both waves
				}
			}
			require.NoError(t, q.Validate(by))
			require.Zero(t, q.Len())
		}
	}
}

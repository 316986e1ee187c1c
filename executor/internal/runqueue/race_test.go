package runqueue

import (
	"context"
	"iter"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/internal/cell"
)

// rival does something on a goroutine of its own at the same time as others do something else,
// again and again. As it never rests it begins within nanoseconds.
type rival struct {
	asked, done atomic.Int64 // rounds; -1 for the end
	act         func()
}

func newRival(t *testing.T) *rival {
	r := new(rival)
	over := make(chan struct{})
	go func() {
		defer close(over)
		for round := int64(1); ; round++ {
			spinUntil(func() bool { return r.asked.Load() != round-1 })
			if r.asked.Load() < 0 {
				return
			}
			r.act()
			r.done.Store(round)
		}
	}()
	t.Cleanup(func() {
		r.asked.Store(-1)
		<-over
	})
	return r
}

// with has theirs called by the rival, while the caller does ours.
func (r *rival) with(theirs, ours func()) {
	r.act = theirs
	round := r.asked.Add(1)
	ours()
	spinUntil(func() bool { return r.done.Load() == round })
}

// spinUntil waits actively.
func spinUntil(it func() bool) {
	for n := 1; !it(); n++ {
		if n%100 == 0 {
			runtime.Gosched()
		}
	}
}

// raceRounds yields the rounds of a race, until the two have met often enough, but no longer than
// for half a second: on a busy machine they rarely do. With a duration in the environment variable
// PUNCTUAL_STRESS it is as long as that.
func raceRounds(met *int) iter.Seq[int] {
	limit, enough := time.Second/2, 3000
	if d, err := time.ParseDuration(os.Getenv("PUNCTUAL_STRESS")); err == nil {
		limit, enough = d, math.MaxInt
	}
	return func(yield func(int) bool) {
		begin := time.Now()
		for round := 0; *met < enough && time.Since(begin) < limit; round++ {
			if !yield(round) {
				return
			}
		}
	}
}

// Somebody wants to see what waits, while a worker claims task by task without the lock.
func TestATaskThatIsRecalledIsNotClaimedToo(t *testing.T) {
	r, task := newRival(t), func(context.Context) error { return nil }
	met := 0
	for round := range raceRounds(&met) {
		q, b := NewInbox(new(cell.Plan), nil), new(Batch)
		for range BatchSize {
			q.Put(Entry{Slot: Slot{Body: task}})
		}
		require.True(t, q.live())
		b.Fill(q, q.Row())
		claimed, middle := 0, rand.Int64N(BatchSize)
		r.with(func() {
			for task, _ := b.Claim(); task != nil; task, _ = b.Claim() {
				claimed++
			}
		}, func() {
			spinUntil(func() bool { return b.next.Load() >= middle })
			b.Recall(q)
		})
		recalled := q.Len()
		if claimed > 0 && recalled > 0 {
			met++
		}
		require.Equal(t, BatchSize, claimed+recalled, "round %d: %d claimed, %d recalled", round, claimed, recalled)
	}
}

// A submission meets a taker who finds nothing, and is about to rest: the one sees the other, or
// the other the one.
func TestATaskThatComesAsTheLastTakerLooksIsSeenOrTold(t *testing.T) {
	q, r := NewInbox(new(cell.Plan), nil), newRival(t)
	task := func(context.Context) error { return nil }
	met, outcomes := 0, map[bool]int{}
	for round := range raceRounds(&met) {
		q.word.Store(false) // somebody was told, and has come
		var told, seen bool
		r.with(func() {
			told, _ = q.Put(Entry{Slot: Slot{Body: task}})
		}, func() {
			for range rand.IntN(20) {
				seen = q.out.live()
			}
			seen = q.live()
		})
		require.True(t, told || seen, "round %d", round)
		outcomes[seen]++
		met = min(outcomes[true], outcomes[false])
		q.word.Store(false)
		require.True(t, q.live())
		q.Pop(Unread)
	}
}

package differential

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/queue"
	"github.com/punctual-go/punctual/executor/rejection"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/timer"
)

const grid = time.Second

// trial is one script on Punctual, in virtual time. What happens is written down as the program in
// Java does: s3@14 is the start of a run of the task of command 3 at instant 14, e its end, t the
// end of the pool; then what commands said: r3 a refusal, c5=1 the result of a cancel, p6=2 that of
// a purge, n9 what ShutdownNow returned, q4=2,3 how many ran and waited; and f3 the state of the
// future in the end.
//
// A start or an end may come a little later than it should, as in reality; then the history has to
// be the same, or the script is ambiguous.
type trial struct {
	script
	noise *rand.Rand // nil for none
	begun time.Time

	mu      sync.Mutex
	marks   []mark
	results []string

	pool    *executor.ScheduledPool
	plain   *executor.Pool
	timer   *timer.Timer
	futures map[int]*future.Future[struct{}]
	tasks   map[int]*timer.Task
}

// mark is an event as it is written down.
type mark struct {
	at    int
	token string
}

// play runs a script. It has to be called in a bubble.
func play(s script, noise *rand.Rand) string {
	r := &trial{script: s, noise: noise, begun: time.Now(),
		futures: map[int]*future.Future[struct{}]{}, tasks: map[int]*timer.Task{}}
	r.make()
	last := -1
	for i, c := range s.commands {
		// What a task held up that its caller ran comes one by one, each in its class: a worker
		// that is being woken has then taken what it was woken for. Otherwise one call takes place
		// after the other, so that what falls due at the same instant is in order.
		if now := r.now(); c.at <= last || c.at < now {
			last = next(max(last, now), c.at%classes)
		} else {
			last = c.at
		}
		r.until(last, time.Duration(i+1)*time.Microsecond)
		if err := r.command(i, c); err != nil {
			r.result("r", i, "")
		}
	}
	r.finish()
	return r.history()
}

func (r *trial) make() {
	quiet := executor.ErrorHandler(func(context.Context, executor.Run, error) {})
	silent := executor.Logger(slog.New(slog.DiscardHandler))
	switch r.kind {
	case timed:
		r.timer = timer.New("differential")
	case scheduled:
		r.pool = executor.NewScheduledPool(r.core, quiet, silent)
		r.pool.SetContinuePeriodicAfterShutdown(r.periodic)
		r.pool.SetExecuteDelayedAfterShutdown(r.delayed)
		r.plain = &r.pool.Pool
	case pooled:
		q := []queue.Queue{queue.FIFO(), queue.Bounded(max(r.capacity, 1)),
			queue.HandOff(), queue.Priority()}[r.queue]
		handler := []rejection.Policy{rejection.Abort, rejection.CallerRuns, rejection.Discard,
			rejection.DiscardOldest}[r.policy]
		r.plain = executor.NewPool(r.core, executor.MaximumSize(r.most),
			executor.KeepAlive(time.Hour), executor.Queue(q), executor.OnRejection(handler), quiet, silent)
	}
}

func (r *trial) finish() {
	if r.kind == timed {
		time.Sleep((longest + classes) * grid) // for the body under way
		synctest.Wait()
		return
	}
	<-r.plain.Terminated()
	r.event("t", -1)
	synctest.Wait()
	for i := range r.commands {
		if f := r.futures[i]; f != nil {
			r.result("f", i, "="+stateOf(f))
		}
	}
}

// stateOf is O for a result, F for an error, C for a cancelled task, and D for one that was
// dropped: by a shutdown, or for lack of room.
func stateOf(f *future.Future[struct{}]) string {
	switch _, err := f.Get(context.Background()); {
	case err == nil:
		return "O"
	case errors.Is(err, executor.ErrShutdown), errors.Is(err, executor.ErrSaturated):
		return "D"
	case errors.Is(err, future.ErrCancelled):
		return "C"
	default:
		return "F"
	}
}

func (r *trial) now() int { return int(time.Since(r.begun) / grid) }

func (r *trial) until(at int, after time.Duration) {
	time.Sleep(time.Until(r.begun.Add(time.Duration(at)*grid + after)))
	r.late()
}

// late makes what comes next a little late.
func (r *trial) late() {
	r.mu.Lock()
	d := time.Duration(0)
	if r.noise != nil {
		d = time.Duration(r.noise.Int64N(int64(grid / 20)))
	}
	r.mu.Unlock()
	if d > 0 {
		time.Sleep(d)
	}
}

func (r *trial) event(what string, i int) (at int) {
	at = r.now()
	token := what
	if i >= 0 {
		token += strconv.Itoa(i)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.marks = append(r.marks, mark{at, token + "@" + strconv.Itoa(at)})
	return at
}

func (r *trial) result(what string, i int, text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.results = append(r.results, what+strconv.Itoa(i)+text)
}

// history is what happened, in the order of the instants; at one instant there is no order.
func (r *trial) history() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	slices.SortFunc(r.marks, func(a, b mark) int {
		if a.at != b.at {
			return a.at - b.at
		}
		return strings.Compare(a.token, b.token)
	})
	var out []string
	for _, e := range r.marks {
		out = append(out, e.token)
	}
	return strings.Join(append(out, r.results...), " ")
}

// virtual plays a script in a bubble of its own.
func virtual(t *testing.T, s script, noise *rand.Rand) (history string) {
	t.Helper()
	synctest.Test(t, func(*testing.T) { history = play(s, noise) })
	return history
}

// clear tells whether a script has one outcome: whether what happens does not depend on little
// delays, which a real machine has.
func clear(t *testing.T, s script, history string) bool {
	t.Helper()
	for i := range uint64(12) {
		if virtual(t, s, rand.New(rand.NewPCG(i, 7))) != history {
			return false
		}
	}
	return true
}

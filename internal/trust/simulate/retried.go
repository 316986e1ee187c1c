package simulate

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/retry"
	"github.com/punctual-go/punctual/future"
)

// retried is a task that is tried again, and what has become of it.
type retried struct {
	id       int
	periodic bool
	attempts int
	takes    []time.Duration // each attempt
	ends     []attemptEnd
	heeds    bool // its context
	options  []executor.TaskOption
	initial  time.Duration

	future *future.Future[struct{}]

	// The lock of the history guards these.
	bodies    int // begun
	again     int // attempts that were not the first of a run
	failed    int
	skipped   int
	inBody    bool
	waiting   bool // the last attempt has failed, and another may follow
	final     bool // the last attempt has failed for good
	endedAt   time.Duration
	attempt   uint64 // the number of the last
	cancelled bool

	// These are what its future says in the end.
	settled, stopped bool
	err              error
}

var errNotLeader = fmt.Errorf("%w: not the leader", executor.ErrSkipped)

type attemptEnd int

const (
	attemptReturns attemptEnd = iota
	attemptFails
	attemptAdvises // retry.After
	attemptForbids // Permanent
	attemptSkips   // ErrSkipped
)

func (t *retried) String() string {
	return fmt.Sprintf("%d (periodic %t, attempts %d of %d, takes %v, ends %v, cancelled %t)", t.id,
		t.periodic, t.bodies, t.attempts, t.takes, t.ends, t.cancelled)
}

// draw makes a task.
func (h *retryHistory) draw() *retried {
	t := &retried{id: len(h.tasks), attempts: 1 + h.rng.IntN(5), heeds: h.oneIn(3)}
	t.periodic = h.schedule != nil && h.oneIn(5)
	for range t.attempts {
		t.takes = append(t.takes, h.steps(4))
		end := attemptFails
		if h.oneIn(4) {
			end = attemptEnd(h.rng.IntN(5))
		}
		t.ends = append(t.ends, end)
	}
	t.options = append(t.options, executor.Retry(t.attempts, retry.Backoff{
		Base: h.steps(5), Factor: float64(1 + h.rng.IntN(2)), Max: h.steps(8),
		Spread: retry.Spread(h.rng.IntN(4)),
	}))
	if h.oneIn(6) {
		t.options = append(t.options, executor.Jitter(2*grid))
	}
	t.initial = h.steps(5)
	h.tasks = append(h.tasks, t)
	return t
}

// start submits the task.
func (t *retried) start(h *retryHistory) {
	h.countOps(1)
	body := func(ctx context.Context) error { return t.run(h, ctx) }
	var err error
	var timed *executor.ScheduledFuture[struct{}]
	switch {
	case t.periodic && h.oneIn(3):
		timed, err = h.schedule.Every(3*grid, body, t.options...)
	case t.periodic && h.oneIn(2):
		timed, err = h.schedule.AtFixedRate(t.initial, 3*grid, body, t.options...)
	case t.periodic:
		timed, err = h.schedule.WithFixedDelay(t.initial, 3*grid, body, t.options...)
	case h.schedule != nil && h.oneIn(2):
		timed, err = h.schedule.Schedule(t.initial, body, t.options...)
	default:
		t.future, err = h.submit.Submit(body, t.options...)
	}
	if timed != nil {
		t.future = timed.Future
	}
	if err != nil {
		h.fault(&h.report.Lost, "task %v is refused: %v", t, err)
	}
}

// run is the body.
func (t *retried) run(h *retryHistory, ctx context.Context) error {
	r, _ := executor.RunFrom(ctx)
	h.mu.Lock()
	h.report.Runs++
	end, takes := t.beginLocked(h, r.Attempt)
	h.mu.Unlock()
	if t.heeds {
		wait := time.NewTimer(takes)
		select {
		case <-ctx.Done():
		case <-wait.C:
		}
		wait.Stop()
	} else {
		time.Sleep(takes)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	t.inBody = false
	t.endedAt = h.now()
	switch end {
	case attemptReturns:
		return nil
	case attemptSkips:
		t.skipped++
		return errNotLeader
	}
	t.failed++
	t.final = end == attemptForbids
	t.waiting = !t.final && int(t.attempt) < t.attempts
	switch end {
	case attemptAdvises:
		return retry.After(errBoom, 2*grid)
	case attemptForbids:
		return retry.Permanent(errBoom)
	}
	return errBoom
}

// beginLocked notes that an attempt begins, checks that it may, and returns what it does; the lock
// is held.
func (t *retried) beginLocked(h *retryHistory, attempt uint64) (attemptEnd, time.Duration) {
	want := uint64(1)
	if t.waiting {
		want = t.attempt + 1
	}
	ended := !t.periodic && t.bodies > 0 && !t.waiting
	if t.inBody || h.over || attempt != want || ended {
		h.faultLocked(&h.report.Duplicate, "task %v begins attempt %d, not %d; over %t", t, attempt,
			want, h.over)
	}
	t.bodies++
	if attempt > 1 {
		t.again++
	}
	t.inBody, t.waiting, t.final, t.attempt = true, false, false, attempt
	n := (int(attempt) - 1) % t.attempts
	return t.ends[n], t.takes[n]
}

// cancel cancels the task in one of several ways.
func (t *retried) cancel(h *retryHistory, way int) {
	if t.future == nil {
		return
	}
	h.mu.Lock()
	begun := t.bodies > 0
	h.mu.Unlock()
	told := false
	switch way {
	case 0:
		told = t.future.Cancel()
	case 1:
		told = t.future.CancelCause(errors.New("enough"))
	case 2:
		told = t.future.Stop()
	case 3:
		if told = t.future.Withdraw(); told && begun {
			h.fault(&h.report.Duplicate, "task %v was withdrawn after it had begun", t)
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	t.cancelled = t.cancelled || told
}

// look asks the future for the end of the task. Nobody holds the lock: the hook may need it.
func (t *retried) look() {
	if t.future == nil {
		return
	}
	var result future.Result[struct{}]
	result, t.settled = t.future.Poll()
	t.err = result.Err
	select {
	case <-t.future.Stopped():
		t.stopped = true
	default:
	}
}

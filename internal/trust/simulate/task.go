package simulate

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/future"
)

// ending is how the body of a task ends.
type ending uint8

const (
	returns ending = iota
	fails
	panics
	exits
)

var errBoom = errors.New("boom")

// String returns how.
func (e ending) String() string { return [...]string{"returns", "fails", "panics", "exits"}[e] }

// how is how a task is submitted.
type how uint8

const (
	executes how = iota
	submits
	submitsPatiently
	schedules
	schedulesAt
	repeats
)

// inner is what a body does in the middle, beside taking its time.
type inner uint8

const (
	nothing inner = iota
	submitsChild
	awaitsChild // with its own context
	cancelsItself
	waitsAlone // for its own future, which would never be settled
	stops      // its executor: the last thing that the driver asks for
	stopsNow
)

// task is one task of a shop with its history. What it does is drawn when it is made; the lock of the world guards the
// rest.
type task struct {
	shop *shop
	id   int
	calendar

	future *future.Future[struct{}]            // of those that have one
	timed  *executor.ScheduledFuture[struct{}] // the same, of those that have a time
	how    how
	opts   [4]executor.TaskOption // the first n of them
	n      int
	wait   time.Duration // of a submitter for room

	initial time.Duration // delay
	takes   time.Duration
	heeds   bool // the end of its context
	ends    ending
	lastRun int                  // at which it ends so, if it is a series; or of MaxRuns
	goesOn  bool                 // after ending so, which it does each time
	policy  executor.ErrorPolicy // of a series
	asks    bool                 // for its run
	inner   inner
	child   *task
	isChild bool
	turn    *eventloop.Turn // by which it is submitted
	timeout time.Duration
	level   time.Duration // minus its priority
	helped  bool          // it may begin ahead of its turn
	lent    bool          // its helper is one too many

	latest      time.Duration // it is due by then for certain
	came        int64         // stamps: when it came to the queue, at the earliest
	cameInstant int64         // that of the first change at that time
	there       int64         // when it was in the queue, at the latest
	requeued    bool
	accepted    bool
	known       bool // to its submitter
	refused     bool
	begun       int
	inBody      bool
	startedAt   time.Duration
	heedsFrom   time.Duration // it looks at its context
	cancelling  bool          // somebody is about to
	cancellers  int           // are about to
	cancelled   bool          // a Cancel or Stop has returned true
	interrupt   bool          // its context has been ended, by Cancel,
	interruptAt time.Duration
	allowed     int  // and since then these runs have begun, and may begin still
	ended       bool // by its last run
	handedBack  bool
	lastBody    bool          // has begun after it was handed back in a run
	settledAt   time.Duration // when it is known to have ended
}

// handBack is the context by which the driver tells a task that it has been handed back.
type handBack struct{ context.Context }

// body is what the facility runs.
func (k *task) body(ctx context.Context) error {
	s := k.shop
	if _, ok := ctx.(handBack); ok {
		s.takeBack(k)
		return nil
	}
	s.begin(k, ctx)
	if k.inner != nothing {
		s.meddle(k, ctx)
		s.heedsNow(k)
	}
	interrupted := false
	switch {
	case k.takes == 0:
	case k.heeds:
		limit := time.NewTimer(k.takes)
		select {
		case <-limit.C:
		case <-ctx.Done():
			interrupted = true
			limit.Stop()
		}
	default:
		time.Sleep(k.takes)
	}
	s.end(k, interrupted)
	if k.periodic() && k.begun != k.lastRun && !k.goesOn {
		return nil
	}
	switch k.ends {
	case fails:
		return errBoom
	case panics:
		panic(errBoom)
	case exits:
		runtime.Goexit()
	}
	return nil
}

// submit submits the task.
func (k *task) submit() (err error) {
	s, opts := k.shop, k.opts[:k.n]
	switch {
	case k.turn == nil:
	case k.how == executes:
		return k.turn.Execute(k.body)
	case k.how == submits:
		k.future, err = k.turn.Submit(k.body, opts...)
		return err
	}
	switch k.how {
	case executes:
		return s.exec.Execute(k.body)
	case submits:
		k.future, err = s.exec.Submit(k.body, opts...)
		return err
	case submitsPatiently:
		ctx, cancel := context.WithTimeout(context.Background(), k.wait)
		defer cancel()
		k.future, err = s.pool.SubmitContext(ctx, k.body, opts...)
		return err
	case schedules:
		k.timed, err = s.table.Schedule(k.initial, k.body, opts...)
	case schedulesAt:
		k.timed, err = s.table.ScheduleAt(time.Now().Add(k.initial), k.body, opts...)
	case repeats:
		if k.rule == fixedDelay {
			k.timed, err = s.table.WithFixedDelay(k.initial, k.period, k.body, opts...)
		} else {
			k.timed, err = s.table.AtFixedRate(k.initial, k.period, k.body, opts...)
		}
	}
	if err == nil {
		k.future = k.timed.Future
	}
	return err
}

func (k *task) periodic() bool { return k.rule != once }

func (k *task) settled() bool { return k.cancelled || k.ended || k.handedBack }

// String tells what k is to do, for the words of a fault.
func (k *task) String() string {
	text := fmt.Sprintf("%d (%s, takes %v", k.id, [...]string{"executed", "submitted", "submitted patiently",
		"scheduled", "scheduled at", "repeated"}[k.how], k.takes)
	if k.periodic() {
		text += fmt.Sprintf(", %v each %v, %d times", k.rule, k.period, k.lastRun)
	}
	if k.heeds {
		text += ", heeds"
	}
	if k.periodic() {
		text += [...]string{", until it panics", ", until it fails", ", whatever happens"}[k.policy]
	}
	if k.goesOn {
		text += ", goes on"
	}
	if k.timeout > 0 {
		text += fmt.Sprintf(", at most %v", k.timeout)
	}
	if k.ends != returns {
		text += fmt.Sprintf(", %v", k.ends)
	}
	if k.inner != nothing {
		text += [...]string{"", ", submits", ", awaits", ", cancels itself", ", waits for itself", ", stops",
			", stops now"}[k.inner]
	}
	return text + fmt.Sprintf("; begun %d times)", k.begun)
}

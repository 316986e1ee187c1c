package pairs

import (
	"errors"
	"fmt"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/future"
)

// record is what is known of a task in a life.
type record struct {
	t  *task
	id int

	// The lock of the journal guards these.
	submitted  time.Duration
	answered   bool // the submission has returned
	answeredAt time.Duration
	err        error // of the submission
	panicked   bool  // a callback of the submission has panicked, or ended its goroutine

	outcome outcome // nil without a future
	future  *future.Future[struct{}]
	typed   *future.Future[int]
	handle  executor.Handle
	handled bool
	job     executor.Job

	bodies    []*bodyRun
	children  int // tasks that they have submitted
	active    int // bodies in progress
	told      []told
	errors    []error // that an error handler was told
	lastOpen  time.Duration
	moves     []move        // commands that change when it is due
	cancelled time.Duration // when a command has cancelled it; below 0 if none has

	contextEnded bool // of WithContext, or of its group
	sawPaused    bool
	sawUnique    bool
	tainted      bool // a callback has ended a goroutine of it, or its bodies do more than they say
	listed       int  // how often a list of a shutdown, or of a drain, has it
}

// move is a command that has changed when a task is due.
type move struct {
	what     string
	from, at time.Duration // of the call
	d        time.Duration
}

func (r *record) accepted() bool { return r.answered && r.err == nil && !r.panicked }

func (r *record) acceptedAt() time.Duration {
	if r.accepted() {
		return r.answeredAt
	}
	return 1 << 62
}

func (r *record) refusedBy(err error) bool { return r.answered && errors.Is(r.err, err) }

// full reports whether there was no room for the task when it came.
func (r *record) full() bool {
	return r.refusedBy(executor.ErrSaturated) || r.settledBy(executor.ErrSaturated) ||
		r.accepted() && r.answeredAt > r.submitted
}

// result returns how the future was settled.
func (r *record) result() (err error, ok bool) {
	switch {
	case r.future != nil:
		res, ok := r.future.Poll()
		return res.Err, ok
	case r.typed != nil:
		res, ok := r.typed.Poll()
		return res.Err, ok
	}
	return nil, false
}

// settledBy reports whether the future was settled with this error; nil stands for success.
func (r *record) settledBy(want error) bool {
	err, ok := r.result()
	if want == nil {
		return ok && err == nil
	}
	return ok && errors.Is(err, want)
}

func (r *record) expired() bool {
	if r.settledBy(executor.ErrExpired) || r.saw("expired") {
		return true
	}
	for _, err := range r.errors {
		if errors.Is(err, executor.ErrExpired) {
			return true
		}
	}
	return false
}

func (r *record) saw(what string) bool {
	for _, e := range r.told {
		if e.what == what {
			return true
		}
	}
	return false
}

// planned returns how many runs have begun that nobody has asked for; attempts of one are one.
func (r *record) planned() (n int) {
	for _, b := range r.bodies {
		if !b.run.Triggered && b.run.Attempt <= 1 {
			n++
		}
	}
	return n
}

// skipped returns how many bodies have said that they left their work out, be it too late.
func (r *record) skipped() (n int) {
	for _, b := range r.bodies {
		if b.over && errors.Is(b.err, executor.ErrSkipped) {
			n++
		}
	}
	return n
}

func (r *record) lastDue() time.Duration {
	if len(r.bodies) == 0 {
		return 0
	}
	return r.bodies[len(r.bodies)-1].due
}

func (r *record) begunAfter(at time.Duration) bool {
	n := len(r.bodies)
	return at >= 0 && n > 0 && r.bodies[n-1].began > at
}

// span is the time in which the task was alive, as far as the record knows.
func (r *record) span() (from, to time.Duration) {
	to = max(r.submitted, r.lastOpen)
	for _, b := range r.bodies {
		to = max(to, b.ended, b.began)
	}
	for _, e := range r.told {
		to = max(to, e.at)
	}
	return r.submitted, to
}

func (r *record) open() bool {
	switch {
	case !r.answered:
		return true
	case !r.accepted():
		return false
	case r.outcome != nil:
		return !r.outcome.State().Settled() || r.active > 0
	}
	return len(r.bodies) == 0 || r.active > 0
}

func (r *record) lastMove(what string) *move {
	for i := len(r.moves) - 1; i >= 0; i-- {
		if r.moves[i].what == what {
			return &r.moves[i]
		}
	}
	return nil
}

// applied reports whether the task is a job that was applied again.
func (r *record) applied() bool {
	n := 0
	for _, m := range r.moves {
		if m.what == "apply" {
			n++
		}
	}
	return n > 1
}

var errCallback = errors.New("a callback")

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// String names a record in reports.
func (r *record) String() string {
	s := fmt.Sprintf("{%v}", r.t)
	if len(r.bodies) > 6 {
		s += " …"
	}
	for _, b := range r.bodies[max(0, len(r.bodies)-6):] {
		s += fmt.Sprintf(" [%v-%v due %v", b.began, b.ended, b.due)
		if b.run.Attempt > 0 {
			s += fmt.Sprint(" attempt ", b.run.Attempt)
		}
		if b.run.Triggered {
			s += " triggered"
		}
		s += "]"
	}
	return s
}

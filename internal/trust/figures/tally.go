package figures

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/future"
)

// Told counts what observers have been told of some tasks.
type Told struct {
	Submitted, Rejected         int
	Began, Ended                int // runs, each attempt for itself
	Succeeded, Skipped          int // of those that have ended
	Overran, Expired            int
	Cancelled, Dropped          int
	Paused, Resumed, MissedRuns int
}

// failed returns how many runs have ended with an error that is a failure, unless their task was
// cancelled.
func (t Told) failed() int { return t.Ended - t.Succeeded - t.Skipped }

// Tally counts what the observers of one executor are told. It is safe for concurrent use.
type Tally struct {
	begun time.Time

	mu    sync.Mutex
	all   Told
	names map[string]*Told
}

// NewTally returns a tally of an executor that is about to be made.
func NewTally() *Tally { return &Tally{begun: time.Now(), names: map[string]*Told{}} }

// All returns the counts of all tasks.
func (y *Tally) All() Told {
	y.mu.Lock()
	defer y.mu.Unlock()
	return y.all
}

// Of returns the counts of the tasks of a name.
func (y *Tally) Of(name string) Told {
	y.mu.Lock()
	defer y.mu.Unlock()
	if told := y.names[name]; told != nil {
		return *told
	}
	return Told{}
}

// count counts something for all tasks and for those of a name.
func (y *Tally) count(r executor.Run, add func(told *Told)) {
	y.mu.Lock()
	defer y.mu.Unlock()
	if y.names[r.Name] == nil {
		y.names[r.Name] = new(Told)
	}
	add(&y.all)
	add(y.names[r.Name])
}

// skipped reports whether a run has ended by leaving its work out. A panic and a timeout are
// failures, whatever they come with.
func skipped(err error) bool {
	var panicked *future.PanicError
	return errors.Is(err, executor.ErrSkipped) && !errors.As(err, &panicked) &&
		!errors.Is(err, future.ErrTimeout)
}

// Observer returns the observer that counts.
func (y *Tally) Observer() executor.Observer {
	counting := func(add func(told *Told)) func(executor.Run) {
		return func(r executor.Run) { y.count(r, add) }
	}
	return executor.Observer{
		Submitted: counting(func(t *Told) { t.Submitted++ }),
		Missed:    counting(func(t *Told) { t.MissedRuns++ }),
		Overran:   counting(func(t *Told) { t.Overran++ }),
		Expired:   counting(func(t *Told) { t.Expired++ }),
		Cancelled: counting(func(t *Told) { t.Cancelled++ }),
		Paused:    counting(func(t *Told) { t.Paused++ }),
		Resumed:   counting(func(t *Told) { t.Resumed++ }),
		Rejected:  func(r executor.Run, _ error) { y.count(r, func(t *Told) { t.Rejected++ }) },
		Dropped:   func(r executor.Run, _ error) { y.count(r, func(t *Told) { t.Dropped++ }) },
		Began: func(_ context.Context, r executor.Run) context.Context {
			y.count(r, func(t *Told) { t.Began++ })
			return nil
		},
		Ended: func(_ context.Context, r executor.Run, err error) {
			y.count(r, func(t *Told) {
				t.Ended++
				switch {
				case err == nil:
					t.Succeeded++
				case skipped(err):
					t.Skipped++
				}
			})
		},
	}
}

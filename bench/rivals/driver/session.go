package driver

import "time"

// session is a system at work. What the system cannot do is nil. Each function that takes a task
// binds it, and returns what is measured.
type session struct {
	// execute returns what has f run, without a future if there is a choice.
	execute func(f func()) func()

	// heed returns what has f run by a task that asks its context first.
	heed func(f func()) func()

	// ask returns what has f run and waits for its result.
	ask func(f func() int) func() int

	// fan returns what has f run width times and waits for all results.
	fan func(f func() int, width int) func()

	// after returns what has f run once, d from then.
	after func(f func()) func(d time.Duration) stopper

	// every has f run at a fixed rate, first after the given time. Start begins with all of them,
	// in a system that has to be told; it may be nil.
	every func(first, period time.Duration, f func())
	start func()

	// shutdown ends the system so that nothing that is pending runs, and waits until none of its
	// goroutines is left, if that can be known. It is given what after has returned, so far.
	shutdown func(pending []stopper)
}

// stopper is a scheduled task.
type stopper interface {
	// Stop keeps it from being run and reports whether this call did. A system that cannot tell
	// says that it did.
	Stop() bool
}

// workers is how many workers a system has, if it has any.
const workers = 2

// grain is the tick of the wheels.
const grain = time.Millisecond

// run begins what every has been told.
func (s session) run() {
	if s.start != nil {
		s.start()
	}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// got returns what a call has given that cannot fail here.
func got[V any](v V, err error) V {
	must(err)
	return v
}

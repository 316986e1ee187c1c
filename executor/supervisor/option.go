package supervisor

import (
	"fmt"
	"math"
	"time"

	"github.com/punctual-go/punctual/executor"
	common "github.com/punctual-go/punctual/executor/internal/run"
)

// Option configures a supervisor at its construction. A bad value panics there, with a text that says
// what is wrong, as it is a mistake in the program. Of an option that is given twice the last counts;
// but functions that are to be called add up.
//
// Of the options of package executor a supervisor takes [executor.Name], for itself and its runs;
// [executor.ErrorHandler], which is told of panics of callbacks; and [executor.Logger], where these
// are reported if there is no handler. A panic of the task itself is told by the pool.
type Option interface{ anyOption }

type anyOption interface{ ForSupervisor() }

var _ Option = executor.CommonOption(nil)

type option func(*settings)

func (option) ForSupervisor() {}

// settings are what options set. They do not change after construction.
type settings struct {
	shared        common.Settings
	interval      time.Duration
	timeout       time.Duration // 0 for as long as the interval
	factor        float64
	bound         int           // times the timeout is the ceiling, if that is not stated
	ceiling       time.Duration // stated by MaxInterval; 0 if it is not
	jitter        time.Duration
	initialDelay  time.Duration
	onFailure     FailurePolicy
	maxUnfinished int
	afterCapped   []func(Outcome)
	afterCycle    []func(Outcome)
}

// The defaults are those of Eureka's client.
const (
	defaultInterval = 30 * time.Second
	defaultFactor   = 2
	defaultBound    = 10
)

func newSettings(opts []Option) settings {
	s := settings{interval: defaultInterval, factor: defaultFactor, bound: defaultBound, maxUnfinished: 1}
	for i, o := range opts {
		switch o := o.(type) {
		case nil:
			panic(fmt.Sprintf("supervisor: option %d is nil", i))
		case option:
			o(&s)
		case common.Option:
			o.Apply(&s.shared)
		}
	}
	if s.timeout == 0 {
		s.timeout = s.interval
	}
	if s.ceiling != 0 && s.ceiling < s.interval {
		panic(fmt.Sprintf("supervisor: maximum interval %v is below the interval %v", s.ceiling, s.interval))
	}
	return s
}

// Interval sets the time from the end of a cycle to the start of the next, while all is well; 30 s by
// default. It must be positive.
func Interval(d time.Duration) Option {
	return positive("interval", d, func(s *settings) { s.interval = d })
}

// Timeout bounds a cycle, from the submission: time in the queue of the pool counts, so that a pool
// without a free worker is noticed. When it is over, a run that has not begun is withdrawn; one that
// has gets its context ended, with [future.ErrTimeout] as cause and DeadlineExceeded as error. A run
// that ends at that very moment has timed out. It is as long as the interval by default, and must be
// positive.
func Timeout(d time.Duration) Option {
	return positive("timeout", d, func(s *settings) { s.timeout = d })
}

// Factor sets by what the delay is multiplied when a cycle goes wrong; 2 by default. With 1 it does not
// grow. It must be at least 1, and finite.
func Factor(f float64) Option {
	return option(func(s *settings) {
		if !(f >= 1) || math.IsInf(f, 1) {
			panic(fmt.Sprintf("supervisor: factor %v is below 1 or not finite", f))
		}
		s.factor = f
	})
}

// Bound bounds the delay by n times the timeout, but not below the interval; 10 by default. With a
// timeout equal to the interval, 1 means no growth. It takes the place of [MaxInterval]. n must be at
// least 1; a product past the end of the clock is cut there.
func Bound(n int) Option {
	return option(func(s *settings) {
		if n < 1 {
			panic(fmt.Sprintf("supervisor: bound %d is below 1", n))
		}
		s.bound, s.ceiling = n, 0
	})
}

// MaxInterval bounds the delay by d. It takes the place of [Bound]. d must be positive, and not below
// the interval.
func MaxInterval(d time.Duration) Option {
	return positive("maximum interval", d, func(s *settings) { s.ceiling = d })
}

// Jitter makes every delay, also the initial one, longer by a random duration below d, so that many
// supervisors of one interval do not run in step. It does not add up. A run that is asked for by
// Trigger has none. d must not be negative.
func Jitter(d time.Duration) Option {
	return option(func(s *settings) {
		if d < 0 {
			panic(fmt.Sprintf("supervisor: negative jitter %v", d))
		}
		s.jitter = d
	})
}

// InitialDelay sets the time from Start to the first run; none by default, nor if d is negative.
func InitialDelay(d time.Duration) Option {
	return option(func(s *settings) {
		s.initialDelay = max(d, 0)
	})
}

// FailurePolicy says what the failure of a run does to the delay.
type FailurePolicy uint8

const (
	// Keep leaves the delay as it is: a failure is no reason to slow down, nor a sign of recovery.
	Keep FailurePolicy = iota
	// Reset takes a failure for an answer, which restores the interval like a success.
	Reset
	// Grow takes a failure for a time-out.
	Grow
)

// OnFailure sets what a failed run means: one that returns an error, panics, or ends its goroutine.
// Keep is the default.
func OnFailure(p FailurePolicy) Option {
	return option(func(s *settings) {
		if p > Grow {
			panic(fmt.Sprintf("supervisor: failure policy %d is unknown", p))
		}
		s.onFailure = p
	})
}

// MaxUnfinished sets how many runs may be unfinished for another to start beside them: with n-1 of them
// it starts, with n it does not. 1 is the default; with more, runs may overlap, and the task has to be
// safe for that. n must be at least 1.
func MaxUnfinished(n int) Option {
	return option(func(s *settings) {
		if n < 1 {
			panic(fmt.Sprintf("supervisor: maximum of %d unfinished runs is below 1", n))
		}
		s.maxUnfinished = n
	})
}

// AfterCapped sets a function that is told each time a run is not started because of the unfinished
// ones, as that of [AfterCycle] would be, and before it. All else is as for that.
func AfterCapped(f func(Outcome)) Option {
	return option(func(s *settings) {
		if f != nil {
			s.afterCapped = append(s.afterCapped, f)
		}
	})
}

// AfterCycle sets a function that is told how each cycle has ended. It and those of [AfterCapped] are
// called one at a time, in order, on a goroutine of their own, which keeps neither a worker nor the
// next cycle; what they do not take off is kept for them. If one panics, the error handler is told, or
// it is logged. They may call the supervisor. A nil function is none; several are called in the order
// given, whatever becomes of the others.
func AfterCycle(f func(Outcome)) Option {
	return option(func(s *settings) {
		if f != nil {
			s.afterCycle = append(s.afterCycle, f)
		}
	})
}

// Eureka makes a supervisor one of Eureka: timeout is the interval and the initial delay, too, and
// bound as in [Bound].
func Eureka(timeout time.Duration, bound int) Option {
	return option(func(s *settings) {
		for _, o := range []Option{Interval(timeout), Timeout(timeout), Bound(bound), InitialDelay(timeout)} {
			o.(option)(s)
		}
	})
}

// positive returns an option for a duration that must be.
func positive(what string, d time.Duration, set func(*settings)) Option {
	return option(func(s *settings) {
		if d <= 0 {
			panic(fmt.Sprintf("supervisor: %s %v is not positive", what, d))
		}
		set(s)
	})
}

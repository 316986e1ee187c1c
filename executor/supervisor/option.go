package supervisor

import (
	"fmt"
	"math"
	"time"

	"github.com/punctual-go/punctual/executor"
	common "github.com/punctual-go/punctual/executor/internal/run"
)

// Option configures a supervisor at its construction. A bad value is a mistake in the program, so
// [New] panics, with a text that says what is wrong. If an option is given twice the last one
// counts, but callbacks add up.
//
// A supervisor also takes three options of package executor: [executor.Name], for itself and its
// runs; [executor.ErrorHandler], which is told of failed callbacks; and [executor.Logger], which
// logs them if there is no handler. A panic of the task itself is reported by the pool. Any other
// common option is a mistake: its place is at the pool.
type Option interface{ anyOption }

type anyOption interface{ ForSupervisor() bool }

var _ Option = executor.CommonOption(nil)

type option func(*settings)

func (option) ForSupervisor() bool { return true }

// settings is what the options set. It does not change after construction.
type settings struct {
	shared        common.Settings
	interval      time.Duration
	timeout       time.Duration // 0 means as long as the interval
	factor        float64
	bound         int           // limit of the delay as a multiple of the timeout, if ceiling is 0
	ceiling       time.Duration // the limit of the delay as set by MaxInterval; 0 if it is not
	jitter        time.Duration
	initialDelay  time.Duration
	calendar      executor.Calendar // nil for none
	onFailure     DelayPolicy
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
	s := settings{
		interval: defaultInterval, factor: defaultFactor, bound: defaultBound, maxUnfinished: 1,
	}
	for i, o := range opts {
		switch o := o.(type) {
		case nil:
			panic(fmt.Sprintf("supervisor: option %d is nil", i))
		case option:
			o(&s)
		case common.CommonOption:
			if !o.ForSupervisor() {
				panic(fmt.Sprintf("supervisor: option %d is for pools and event loops", i))
			}
			o.Apply(&s.shared)
		}
	}
	if s.timeout == 0 {
		s.timeout = s.interval
	}
	if s.ceiling != 0 && s.ceiling < s.interval {
		panic(fmt.Sprintf("supervisor: maximum interval %v is below the interval %v",
			s.ceiling, s.interval))
	}
	return s
}

// Interval sets the time from the end of a cycle to the start of the next while all is well; the
// default is 30 s. It must be positive.
func Interval(d time.Duration) Option {
	return positive("interval", d, func(s *settings) { s.interval = d })
}

// Timeout limits the length of a cycle. It counts from the submission, including the time in the
// pool's queue, so that a pool without a free worker is noticed. When the timeout is over, a run
// that has not begun is withdrawn, and one that has begun has its context ended, with
// [future.ErrTimeout] as the cause and DeadlineExceeded as the error. A run that ends at that very
// moment has timed out. The default is the interval; d must be positive.
func Timeout(d time.Duration) Option {
	return positive("timeout", d, func(s *settings) { s.timeout = d })
}

// Factor sets what the delay is multiplied by when a cycle goes wrong; the default is 2. A factor
// of 1 means that the delay does not grow. f must be at least 1, and finite.
func Factor(f float64) Option {
	return option(func(s *settings) {
		if !(f >= 1) || math.IsInf(f, 1) {
			panic(fmt.Sprintf("supervisor: factor %v is below 1 or not finite", f))
		}
		s.factor = f
	})
}

// Bound limits the delay to n times the timeout, but not below the interval; the default is 10.
// With a timeout equal to the interval, a bound of 1 means no growth. Bound replaces an earlier
// [MaxInterval]. n must be at least 1; a product beyond the longest duration is cut there.
func Bound(n int) Option {
	return option(func(s *settings) {
		if n < 1 {
			panic(fmt.Sprintf("supervisor: bound %d is below 1", n))
		}
		s.bound, s.ceiling = n, 0
	})
}

// MaxInterval limits the delay to d. It replaces [Bound]. d must be positive, and not below the
// interval.
func MaxInterval(d time.Duration) Option {
	return positive("maximum interval", d, func(s *settings) { s.ceiling = d })
}

// Jitter lengthens every delay, including the initial one, by a random duration below d, so that
// many supervisors with the same interval do not run in step. Jitter does not accumulate, and does
// not apply to a run that Trigger asks for. d must not be negative; 0, the default, means none.
func Jitter(d time.Duration) Option {
	return option(func(s *settings) {
		if d < 0 {
			panic(fmt.Sprintf("supervisor: negative jitter %v", d))
		}
		s.jitter = d
	})
}

// InitialDelay sets the time from Start to the first run. The default is 0, which is also what a
// negative d means.
func InitialDelay(d time.Duration) Option {
	return option(func(s *settings) { s.initialDelay = max(d, 0) })
}

// DelayPolicy says what a failed run does to the delay.
type DelayPolicy uint8

const (
	// Keep leaves the delay as it is: a failure is neither a reason to slow down nor a sign of
	// recovery.
	Keep DelayPolicy = iota
	// Reset treats a failure as an answer, which restores the interval as a success does.
	Reset
	// Grow treats a failure as a timeout.
	Grow
)

// FailurePolicy sets what a failed run does to the delay: a run that returns an error, panics, or calls
// runtime.Goexit. The default is [Keep].
func FailurePolicy(p DelayPolicy) Option {
	return option(func(s *settings) {
		if p > Grow {
			panic(fmt.Sprintf("supervisor: failure policy %d is unknown", p))
		}
		s.onFailure = p
	})
}

// MaxUnfinished sets how many unfinished runs keep another from starting: with n-1 of them it
// starts, with n it does not. The default is 1. With more, runs may overlap, and the task must be
// safe for that. n must be at least 1.
func MaxUnfinished(n int) Option {
	return option(func(s *settings) {
		if n < 1 {
			panic(fmt.Sprintf("supervisor: maximum of %d unfinished runs is below 1", n))
		}
		s.maxUnfinished = n
	})
}

// AfterCapped adds a function that is called each time a run is not started because of unfinished
// ones. It is called before those of [AfterCycle], and in all else like them.
func AfterCapped(f func(Outcome)) Option {
	return option(func(s *settings) {
		if f != nil {
			s.afterCapped = append(s.afterCapped, f)
		}
	})
}

// AfterCycle adds a function that is called with the outcome of each cycle. All callbacks,
// including those of [AfterCapped], are called one at a time, in order, on a goroutine of their
// own. A slow one delays neither the pool nor the next cycle: outcomes are queued for it, without a
// limit. If one panics, the error handler is told, or it is logged, and the others are still
// called. Callbacks may call the supervisor. Several functions are called in the order in which
// they were added. A nil f is ignored.
func AfterCycle(f func(Outcome)) Option {
	return option(func(s *settings) {
		if f != nil {
			s.afterCycle = append(s.afterCycle, f)
		}
	})
}

// Eureka sets a supervisor up like Eureka's: timeout is also the interval and the initial delay,
// and bound is that of [Bound]. timeout must be positive, and bound at least 1.
func Eureka(timeout time.Duration, bound int) Option {
	return option(func(s *settings) {
		for _, o := range []Option{
			Interval(timeout), Timeout(timeout), Bound(bound), InitialDelay(timeout),
		} {
			o.(option)(s)
		}
	})
}

// positive returns an option that sets a duration which must be positive.
func positive(what string, d time.Duration, set func(*settings)) Option {
	return option(func(s *settings) {
		if d <= 0 {
			panic(fmt.Sprintf("supervisor: %s %v is not positive", what, d))
		}
		set(s)
	})
}

package pairs

import (
	"fmt"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/retry"
)

func within(u *use) time.Duration  { return ms * time.Duration(1+u.pick(0, 15)) }
func timeout(u *use) time.Duration { return ms * time.Duration(2+u.pick(0, 8)) }
func maxRuns(u *use) int           { return 1 + u.pick(0, 4) }

// until and from are times after the submission of the task.
func until(t *task, u *use) time.Duration {
	return t.at + t.delay + t.period + ms*time.Duration(u.pick(0, 60))
}

func from(t *task, u *use) time.Duration { return t.at + ms*time.Duration(u.pick(0, 30)) }

// since is the time of the last run before the submission, and window how far back it is caught up
// with.
func since(t *task, u *use) time.Duration { return t.at - ms*time.Duration(u.pick(0, 60)) }
func window(u *use) time.Duration         { return ms * time.Duration(u.pick(1, 60)) }

// catchUp returns the policy; a calendar does not take Shift.
func catchUp(t *task, u *use) executor.CatchUpPolicy {
	n := 4
	if t.way.way == wOn {
		n = 3
	}
	return []executor.CatchUpPolicy{
		executor.Burst, executor.Skip, executor.Coalesce, executor.Shift,
	}[u.pick(0, n)]
}

func onError(u *use) executor.ErrorPolicy {
	return []executor.ErrorPolicy{
		executor.StopOnPanic, executor.StopSeries, executor.Continue,
	}[u.pick(0, 3)]
}

// backoff returns waits that are not spread, so that it is clear when an attempt is due.
func backoff(u *use) retry.Backoff {
	return retry.Backoff{
		Base:   ms * time.Duration(u.pick(1, 12)),
		Factor: float64(1 + u.pick(2, 2)),
		Spread: retry.NoSpread,
	}
}

// wait returns how long attempt n+1 has to wait after the end of attempt n.
func wait(u *use, n int) time.Duration {
	b := backoff(u)
	w := b.Base
	for range n - 1 {
		w = time.Duration(float64(w) * b.Factor)
	}
	return w
}

// pace returns the parameters of a pace.
func pace(u *use) (n int, per time.Duration) {
	return 1 + u.pick(0, 2), ms * time.Duration(3+u.pick(1, 10))
}

// gap returns the parameter of a gap.
func gap(u *use) time.Duration { return ms * time.Duration(2+u.pick(0, 12)) }

func capacity(u *use) int { return 1 + u.pick(0, 3) }

// jitter returns how much later than planned a run may come, at most.
func jitter(u *use) time.Duration { return ms * time.Duration(1+u.pick(0, 8)) }

// parameters shows the parameters of those that have been useful in reports.
func (u *use) parameters(t *task) string {
	switch u.Name {
	case "Pace", "Pace of a lane":
		n, per := pace(u)
		return fmt.Sprintf("(%d, %v)", n, per)
	case "Gap":
		return fmt.Sprintf("(%v)", gap(u))
	case "BeginWithin":
		return fmt.Sprintf("(%v)", within(u))
	case "Timeout":
		return fmt.Sprintf("(%v)", timeout(u))
	case "MaxRuns":
		return fmt.Sprintf("(%d)", maxRuns(u))
	case "CatchUp":
		return fmt.Sprintf("(%v)", catchUp(t, u))
	case "FailurePolicy":
		return fmt.Sprintf("(%v)", onError(u))
	case "Until":
		return fmt.Sprintf("(%v)", until(t, u))
	case "From":
		return fmt.Sprintf("(%v)", from(t, u))
	case "Since", "SinceLast":
		return fmt.Sprintf("(%v, %v)", since(t, u), window(u))
	case "Retry":
		return fmt.Sprintf("(%d, %+v)", 2+u.pick(0, 2), backoff(u))
	case "BoundedFIFO", "Queue.Bounded", "PendingLimit":
		return fmt.Sprintf("(%d)", capacity(u))
	case "DelayBy":
		return fmt.Sprintf("(%d ms)", 1+u.pick(0, 12))
	case "Jitter":
		return fmt.Sprintf("(%v)", jitter(u))
	case "WithContext":
		return fmt.Sprintf("(ends %d ms after the submission)", 1+u.pick(0, 60))
	case "PauseAfter":
		return fmt.Sprintf("(%d)", 1+u.pick(0, 2))
	}
	return ""
}

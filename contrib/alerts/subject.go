package alerts

import (
	"cmp"
	"log/slog"
	"time"

	"github.com/punctual-go/punctual/executor/insight"
)

// key is what an alert is about: a task of a source, or with an empty task the source itself.
type key struct {
	source int // among those of Watch; the names of pools need not differ
	task   string
}

// finding is how a task or pool is.
type finding struct {
	state  string // a value of insight.Trouble.What, or OK
	since  time.Time
	count  uint64
	reason string
}

// subject is what has been found of a task or pool, and what was told. The alerter's lock guards
// it.
type subject struct {
	finding
	pool    string    // its name
	line    line      // to the webhook
	told    string    // the state that was told last
	sending string    // the state of the alert that is under way; empty if none is
	failed  string    // the state that its heartbeat was told last
	next    time.Time // no alert before this
}

// answerLocked is told what became of an alert.
func (s *subject) answerLocked(state string, told bool) {
	if s.sending == state {
		s.sending = ""
	}
	if told {
		s.told = state
	}
}

// isOverLocked reports whether nothing more is to be said.
func (s *subject) isOverLocked(now time.Time) bool {
	return s.state == OK && s.told == OK && s.sending == "" && !now.Before(s.next)
}

// check looks at the pools. The last one does not wait for intervals.
func (a *Alerter) check(last bool) {
	a.checking.Lock()
	defer a.checking.Unlock()
	a.mu.Lock()
	sources := a.sources
	a.mu.Unlock()
	for i, s := range sources {
		at := time.Now()
		pool, found, running := a.lookAt(s)
		if running {
			a.compare(i, pool, found, at)
		}
	}
	a.tell(time.Now(), last)
}

// lookAt returns what is wrong with a pool and its tasks. It does not hold the alerter's lock, as a
// source may be the user's.
func (a *Alerter) lookAt(
	s insight.Source,
) (pool string, found map[string]finding, running bool) {
	defer func() {
		if r := recover(); r != nil {
			running = false
			a.log("alerts: a source has panicked", slog.Any("panic", r))
		}
	}()
	view := s.Insight()
	health, history := view.Health(), view.History()
	found = map[string]finding{}
	if health.State != "running" {
		return health.Pool, found, false
	}
	for _, t := range history.Troubles { // the worst first
		f := finding{t.What, t.Since, t.Count, t.Reason}
		if f.reason == "" && t.Run != nil && t.Run.Err != nil {
			f.reason = textOf(t.Run.Err)
		}
		note(found, t.Name, f)
	}
	if history.Kept {
		return health.Pool, found, true
	}
	if health.Reason != "" {
		note(found, "", finding{state: insight.Starved, reason: health.Reason})
	}
	states := map[string]string{"failed": insight.Dead, "late": insight.Late}
	for _, t := range health.Tasks {
		if state := states[t.State]; state != "" {
			note(found, t.Name, finding{state, t.Since, t.FailuresInRow, t.Reason})
		}
	}
	return health.Pool, found, true
}

// textOf returns the text of an error, whose method is the user's.
func textOf(err error) (text string) {
	defer func() {
		if recover() != nil {
			text = "an error whose text cannot be had"
		}
	}()
	return err.Error()
}

// note notes a finding, unless there is a worse one of the same name.
func note(found map[string]finding, name string, f finding) {
	if _, ok := found[name]; !ok {
		found[name] = f
	}
}

// compare notes how the tasks of a pool were at a moment. A heartbeat of a task that has succeeded
// since then is not told of what was before.
func (a *Alerter) compare(source int, pool string, found map[string]finding, at time.Time) {
	a.mu.Lock()
	defer a.unlock()
	for k, s := range a.subjects {
		if _, ok := found[k.task]; k.source == source && !ok {
			s.finding = finding{state: OK}
			s.failed = OK
		}
	}
	for task, f := range found {
		k := key{source, task}
		s := a.subjects[k]
		if s == nil && len(a.subjects) >= a.config.Pending {
			a.dropLocked(&line{about: "alert"}, message{kind: kindAlert}, errFull)
			continue
		}
		if s == nil {
			s = &subject{pool: pool, told: OK, failed: OK}
			s.line = line{about: "alert", to: a.config.Webhook}
			a.subjects[k] = s
		}
		s.finding = f
		if l := a.beats[task]; l != nil && s.failed != f.state && l.well.Before(at) {
			s.failed = f.state
			a.pushLocked(l, message{kind: kindFail, reason: f.reason})
		}
	}
}

// tell has alerts sent of what has changed.
func (a *Alerter) tell(now time.Time, last bool) {
	a.mu.Lock()
	defer a.unlock()
	for k, s := range a.subjects {
		was := cmp.Or(s.sending, s.told)
		switch {
		case s.isOverLocked(now) || a.config.Webhook == "" && s.state == OK:
			delete(a.subjects, k)
		case a.config.Webhook == "" || s.state == was:
		case last || s.sending == "" && !now.Before(s.next):
			s.next, s.sending = now.Add(a.config.Interval), s.state
			a.pushLocked(&s.line, message{kind: kindAlert, of: s, alert: Alert{
				Pool: s.pool, Task: k.task, State: s.state, Was: was,
				Since: s.since, At: now, Count: s.count, Reason: s.reason,
			}})
		}
	}
}

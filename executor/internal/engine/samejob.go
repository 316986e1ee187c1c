package engine

import (
	"context"
	"reflect"
	"time"

	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/identity"
	"github.com/punctual-go/punctual/internal/series"
)

// Overview: a job is the same as before if it means the same. To compare calendars, user code is
// called, so Apply does it without the lock, and again if the jobs have changed meanwhile.

// likeness is how a job compares with the one that has its name.
type likeness struct {
	to       *job             // nil if there is none
	calendar identity.Verdict // of the two calendars
}

// compare compares the jobs with those that have their names now. An error is that of a calendar.
func (js *Jobs) compare(wanted []*job) error {
	calendars := make([]series.Calendar, len(wanted))
	js.pool.look(func() {
		for i, w := range wanted {
			w.like = likeness{to: js.live[w.Name]}
			if w.like.to != nil {
				calendars[i] = w.like.to.On
			}
		}
	})
	for i, w := range wanted {
		if w.like.to == nil || w.On == nil && calendars[i] == nil {
			continue
		}
		err := js.askCalendar(w.Name, func() error {
			w.like.calendar = identity.Compare(w.On, calendars[i])
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// comparedLocked reports whether the jobs are still the ones that they have been compared with.
func (js *Jobs) comparedLocked(wanted []*job) bool {
	for _, w := range wanted {
		if w.like.to != js.live[w.Name] {
			return false
		}
	}
	return true
}

// askCalendar calls f, which calls methods of the calendar of a job. A panic is an error that names
// the job.
func (js *Jobs) askCalendar(name string, f func() error) (err error) {
	body := func(context.Context) error { return f() }
	returned := future.Invoke(context.Background(), body, &err)
	if !returned {
		return js.pool.runs.Refusal(name, "the calendar failed", err)
	}
	return err
}

// sameTimes reports whether w differs from the job before in nothing but its task and its period.
func (w *job) sameTimes() bool {
	old := w.like.to
	return (w.Period > 0) == (old.Period > 0) && w.like.calendar != identity.Other &&
		reflect.DeepEqual(w.options, old.options)
}

// same reports whether w is the job before.
func (w *job) same() bool {
	old := w.like.to
	return w.Version == old.Version && w.Period == old.Period && w.sameTimes()
}

// replaces reports whether w cannot become what it is by changing the job before.
func (w *job) replaces() bool {
	old := w.like.to
	if old.cell.Phase().Settled() || !w.sameTimes() {
		return true
	}
	// Another version may have other functions.
	return w.Version != old.Version &&
		(w.functions || old.functions || w.like.calendar == identity.Unknown)
}

// comparableOptions returns options without what cannot be compared, and reports whether there is
// any such.
func comparableOptions(o series.Options) (_ series.Options, functions bool) {
	functions = o.DelayBy != nil || o.Values != nil || o.Within != nil
	o.DelayBy, o.Values, o.Within = nil, nil, nil
	o.CatchUpSet = false // the policy counts, not who has chosen it
	o.From, o.Until = instant(o.From), instant(o.Until)
	return o, functions
}

// instant returns a time as it is compared: two of the same instant are equal.
func instant(t time.Time) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	return t.Round(0).UTC()
}

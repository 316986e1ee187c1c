package inspect

import (
	"strings"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/insight"
)

// schedule is when a periodic task runs: in words, and in times.
type schedule struct {
	Words phrase `json:"words,omitzero"`       // what a calendar says of itself
	Line  phrase `json:"line,omitzero"`        // its text, if the words are others
	Zone  text   `json:"zone"`                 // the name of the zone in which times are shown
	Local bool   `json:"server_zone,omitzero"` // it is that of the server, as that is called now

	// The next runs as they are planned now or, while the task is paused, as they would be. Of a
	// task with a fixed delay the later ones are estimates: as if each run took as long as the last.
	Next     []moment `json:"next,omitempty"`
	Estimate bool     `json:"estimates,omitzero"`
	Ends     bool     `json:"ends,omitzero"` // no other comes after these

	// The last times that a calendar had before now, in order; of one that does not tell these, the
	// times of the last runs.
	Previous []moment `json:"previous,omitempty"`
	Runs     bool     `json:"previous_are_runs,omitzero"`

	Trouble said `json:"trouble,omitempty"` // with the calendar

	zone *time.Location
}

// shownTimes is how many times are shown ahead, and back.
const shownTimes = 5

// scheduled returns what is shown of when a task runs without any times.
func (e *entry) scheduled(st executor.TaskStatus, a *asker, now time.Time) *schedule {
	s := &schedule{zone: time.Local}
	if st.Calendar != nil {
		t := e.titleOf(st.Calendar, a)
		s.Words, s.Line, s.Trouble = t.words, t.line, t.trouble
		if t.zone != nil {
			s.zone = t.zone
		}
	}
	if s.Zone, s.Local = text(s.zone.String()), s.zone == time.Local; s.Local {
		s.Zone = zoneAt(now.Local()) // its name says nothing
	}
	return s
}

// Server is what the zone of the server is called now.
func (s *schedule) Server() text { return zoneAt(time.Now()) }

// Times reports whether there are any.
func (s *schedule) Times() bool { return len(s.Previous)+len(s.Next) > 0 }

// withTimes asks for the times of the schedule.
func (s *schedule) withTimes(e *entry, st executor.TaskStatus, a *asker, now time.Time) *schedule {
	switch {
	case st.State.Settled() || st.Period == never:
		return s
	case st.Calendar == nil:
		next := upcomingOf(st, now, periods(st, now))
		s.Ends, s.Estimate = next.ends, st.Kind == executor.FixedDelay && len(next.times) > 1
		s.Next = s.moments(next.times)
		return s
	}
	answer, trouble := ask(a, e.inquiry(), func() timesOfCalendar {
		return timesOfCalendar{upcomingOf(st, now, st.Calendar.Next), previous(st.Calendar, now)}
	})
	if trouble != "" {
		s.Trouble = said(trouble)
		return s
	}
	if s.Ends = answer.next.ends; answer.next.trouble != "" {
		s.Trouble = answer.next.trouble
	}
	s.Next, s.Previous = s.moments(answer.next.times), s.moments(answer.previous)
	s.lookBack(e, st)
	all := append(s.Previous[:len(s.Previous):len(s.Previous)], s.Next...)
	markClockChanges(all)
	s.Previous, s.Next = all[:len(s.Previous)], all[len(s.Previous):]
	return s
}

// redacted shows what may be seen of what is wrong with the calendar.
func (s *schedule) redacted(r *redactor) *schedule {
	s.Trouble = said(r.shown(string(s.Trouble)))
	return s
}

type timesOfCalendar struct {
	next     upcoming
	previous []time.Time
}

func (s *schedule) moments(times []time.Time) (ms []moment) {
	for _, t := range times {
		ms = append(ms, newMoment(t, s.zone))
	}
	return ms
}

// lookBack notes which runs the previous times had. If the calendar tells none, the last runs are
// shown in their place.
func (s *schedule) lookBack(e *entry, st executor.TaskStatus) {
	past := e.handle.History() // the latest first
	if len(s.Previous) == 0 {
		s.Previous = s.moments(lastRuns(past, st.Last))
		s.Runs = len(s.Previous) > 0
	}
	for i := range s.Previous {
		s.Previous[i].find(past)
	}
}

// lastRuns returns when the last runs were planned, in order.
func lastRuns(past []insight.PastRun, last *executor.LastRun) (times []time.Time) {
	if len(past) == 0 && last != nil {
		return []time.Time{last.Scheduled}
	}
	for i := min(len(past), shownTimes) - 1; i >= 0; i-- {
		times = append(times, past[i].Scheduled)
	}
	return times
}

// find notes which of the runs was that of the time. If runs of earlier and of later times are
// remembered, and none of this, there was none: else it may still wait, or be in progress.
func (m *moment) find(past []insight.PastRun) {
	passed := false
	for _, r := range past {
		switch {
		case r.Triggered:
		case r.Scheduled.Equal(m.At):
			m.Run = r.Number
			return
		case r.Scheduled.Before(m.At):
			m.NoRun = passed
			return
		default:
			passed = true
		}
	}
}

// before notes which of the previous times were before the process began.
func (s *schedule) before(begun time.Time) {
	for i := range s.Previous {
		m := &s.Previous[i]
		m.Before = m.Run == 0 && !m.NoRun && m.At.Before(begun)
	}
}

// OnCalendar reports whether a calendar tells when the task runs.
func (r row) OnCalendar() bool { return r.Schedule != nil && r.Schedule.Words != phrase{} }

// NextMoment is the time of the next run, in the zone of the schedule.
func (r row) NextMoment() moment { return newMoment(r.Next, r.Schedule.zone) }

// TimesCaption says what the times of the schedule are.
func (v taskView) TimesCaption() string {
	s := v.Schedule
	next := "the next times"
	switch {
	case v.Paused:
		next = "the times that would be next, were it not paused"
	case s.Estimate:
		next = "the next times, as if each run took as long as the last"
	}
	switch {
	case s.Runs:
		return "Times of its last runs, and " + next
	case len(s.Previous) > 0:
		return "Times of the schedule that have passed, and " + next
	}
	return strings.ToUpper(next[:1]) + next[1:]
}

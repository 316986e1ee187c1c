package inspect

import (
	"regexp"
	"slices"
	"time"

	"github.com/punctual-go/punctual/executor/insight"
)

// wrong is what is wrong, the worst first.
type wrong struct {
	Shown []trouble `json:"shown"`
	More  int       `json:"more,omitzero"` // how many are not shown
}

// The most that is shown of it: of a pool, and of all.
const (
	mostWrong    = 50
	mostWrongAll = 20
)

// trouble is something that is wrong, see insight.Trouble.
type trouble struct {
	What   string    `json:"what"`
	Pool   link      `json:"pool"`
	Task   *link     `json:"task,omitempty"` // nil for the whole pool
	Since  time.Time `json:"since,omitzero"`
	Count  uint64    `json:"count,omitzero"`
	Deaths uint64    `json:"deaths,omitzero"`
	Reason string    `json:"reason,omitempty"`
	Run    uint64    `json:"run,omitzero"`  // its number
	Took   span      `json:"took,omitzero"` // so far, if it is stuck
	Error  said      `json:"error,omitempty"`

	Key string `json:"-"` // of the run that is stuck

	told bool // of a panel: the reason is all there is to say
}

// longOverdue is how long a task may have been due for which workers have not had time yet.
const longOverdue = 10 * time.Second

// findTroubles returns what is wrong with the source, the worst first.
func (s *seen) findTroubles() []insight.Trouble {
	ts := s.knownTroubles()
	hungry := func(t insight.Trouble) bool { return t.What == insight.Starved || t.What == insight.Overdue }
	if f := s.figures; f != nil && !f.Paused && time.Duration(f.Overdue) >= longOverdue &&
		!slices.ContainsFunc(ts, hungry) {
		ts = append(slices.Clip(ts), insight.Trouble{What: insight.Overdue,
			Since:  s.at.Add(-time.Duration(f.Overdue)),
			Reason: "the task that is due next has waited for " + f.Overdue.String()})
	}
	more := s.behind()
	if t, ok := s.refusal(); ok {
		more = append(more, t)
	}
	if len(more) > 0 {
		ts = append(slices.Clip(ts), more...)
		slices.SortStableFunc(ts, func(a, b insight.Trouble) int { return rank(a.What) - rank(b.What) })
	}
	return ts
}

// knownTroubles returns what the history tells and, of a source that keeps none, what its health
// does.
func (s *seen) knownTroubles() []insight.Trouble {
	if h := s.history(); h.Kept {
		return h.Troubles
	}
	var ts []insight.Trouble
	if s.health.Reason != "" && s.health.Status != insight.HealthDown {
		ts = append(ts, insight.Trouble{What: insight.Starved, Reason: s.health.Reason})
	}
	for _, t := range s.health.Tasks {
		switch t.State {
		case "failed":
			ts = append(ts, insight.Trouble{What: insight.Dead, Name: t.Name, Since: t.Since,
				Count: t.FailuresInRow, Deaths: 1})
		case "late":
			ts = append(ts, insight.Trouble{What: insight.Late, Name: t.Name, Since: t.Since,
				Count: t.FailuresInRow, Reason: t.Reason})
		}
	}
	return ts
}

// wrong returns what is wrong with a source.
func (s *seen) wrong(most int) wrong {
	ts := s.troubles()
	w := wrong{Shown: []trouble{}, More: max(len(ts)-most, 0)}
	for _, t := range ts[:min(len(ts), most)] {
		w.Shown = append(w.Shown, s.trouble(t))
	}
	return w
}

// wrong returns what is wrong with all sources. Of each the worst is looked at.
func (s *snapshot) wrong() wrong {
	all := wrong{Shown: []trouble{}}
	for _, src := range s.sources {
		w := src.wrong(mostWrongAll)
		all.Shown, all.More = append(all.Shown, w.Shown...), all.More+w.More
	}
	slices.SortStableFunc(all.Shown, func(a, b trouble) int { return rank(a.What) - rank(b.What) })
	if n := len(all.Shown) - mostWrongAll; n > 0 {
		all.Shown, all.More = all.Shown[:mostWrongAll], all.More+n
	}
	return all
}

// wrongOf returns what is wrong with a task that has not ended.
func (s *seen) wrongOf(e *entry) wrong {
	w := wrong{Shown: []trouble{}}
	for _, t := range s.troubles() {
		if t.Name == e.name && t.Name != "" && len(w.Shown) < mostWrong {
			w.Shown = append(w.Shown, s.trouble(t))
		}
	}
	return w
}

// tellWrong adds to the view of a task what is wrong with it, the whole errors of its last runs, and
// for those who may act where a run of it stood.
func (s *seen) tellWrong(v *taskView, e *entry, act bool) {
	v.Kept, v.Ills = s.history().Kept, s.wrongOf(e)
	room := mostWhole
	for i := range v.Past {
		v.Past[i].Whole = s.page.redactor.account(v.Past[i].err, &room)
	}
	if act && s.stood != nil && s.stood.name == e.name {
		v.Stood = s.stood
	}
}

func (s *seen) trouble(t insight.Trouble) trouble {
	is := trouble{What: t.What, Pool: link{text(s.title()), s.path()}, Since: t.Since, Count: t.Count,
		Deaths: t.Deaths, Reason: s.page.redactor.reason(t.Reason)}
	switch t.What {
	case insight.Starved, insight.Overdue, showsRefusing:
		return is
	case insight.Dead:
		is.Task = &link{text(named(t.Name)), s.path() + "ended/" + hashed(t.Name)}
	default:
		to := s.link(t.Name)
		is.Task = &to
	}
	if t.Run != nil {
		is.Run, is.Error = t.Run.Number, s.page.redactor.error(t.Run.Err)
		if t.What == insight.Stuck {
			is.Took, is.Key = span(t.Run.Took), runKey(t.Name, t.Run.Number)
		}
	}
	return is
}

// Says tells in words what is wrong, since when, and how often.
func (t trouble) Says() string {
	since := ""
	if !t.Since.IsZero() {
		since = " since " + clockTime(time.Now(), t.Since)
	}
	if t.told {
		return t.Reason + since
	}
	switch t.What {
	case insight.Dead:
		says := "ended by a failure"
		if !t.Since.IsZero() {
			says += " at " + clockTime(time.Now(), t.Since)
		}
		if t.Run > 0 {
			says += ", in run " + count(t.Run)
		}
		if t.Deaths > 1 {
			says += ", for the " + ordinal(t.Deaths) + " time"
		}
		return says
	case insight.Stuck:
		return "run " + count(t.Run) + " has taken " + t.Took.String() + " so far; " + t.Reason
	case insight.Starved, insight.Overdue:
		return t.Reason
	case showsBehind: // only its last runs are known
		return t.Reason + since + " or before; " + numbered(t.Count, "period") + " missed in all"
	case insight.GivenUp:
		return "has paused itself after " + numbered(t.Count, "failure") + " in a row" + since
	case insight.TimedOut:
		return t.inARow("timed out")
	case insight.Expiring:
		return t.inARow("did not begin in time")
	case insight.Failing:
		return t.inARow("failed")
	}
	return t.Reason + since
}

// inARow says how often a task has ended in the same way.
func (t trouble) inARow(how string) string {
	when := clockTime(time.Now(), t.Since)
	says := numbered(t.Count, "run") + " in a row " + how + ", since " + when
	if t.Count == 1 {
		says = "the last run " + how + ", at " + when
	}
	if t.Reason != "" {
		says += "; " + t.Reason
	}
	return says
}

func ordinal(n uint64) string {
	suffix := "th"
	if n/10%10 != 1 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return count(n) + suffix
}

// What a source shows beside the statuses of its health, and what is wrong.
const (
	showsRecovered = "recovered"  // it has failed within ten minutes, and nothing is wrong any more
	showsFailed    = "has failed" // it keeps no history that could tell when
)

// ranks are what can be shown of a source, the worst first.
var ranks = []string{insight.HealthDown, insight.Dead, insight.Starved, insight.Stuck, insight.Late,
	insight.GivenUp, insight.TimedOut, insight.Failing, insight.Expiring, showsRefusing,
	insight.HealthDegraded, insight.Overdue, showsBehind, showsFailed, showsRecovered, insight.HealthOK}

func rank(shows string) int { return slices.Index(ranks, shows) }

func worseShown(a, b string) string { return ranks[min(rank(a), rank(b))] }

// ofTask returns what stands before a word about a source, or several, that is about one of their
// tasks: a pool is not dead because a task is.
func ofTask(shows string) string {
	switch shows {
	case insight.Dead, insight.Stuck, insight.Late, insight.GivenUp, insight.TimedOut, insight.Failing,
		insight.Expiring, showsBehind:
		return "worst: "
	}
	return ""
}

// shows returns in a word how the source is: never ok beside what has failed lately.
func (s *seen) shows() string {
	shows := s.health.Status
	if ts := s.troubles(); len(ts) > 0 {
		shows = worseShown(shows, ts[0].What)
	}
	switch st := s.supervisor; {
	case shows != insight.HealthOK:
		return shows
	case st != nil && st.Failed+st.TimedOut+st.Rejected > 0:
		if st.LastSuccess.IsZero() {
			return insight.Failing
		}
		return showsFailed // it does not tell when
	case st != nil:
		return shows
	}
	h := s.history()
	for _, second := range h.Seconds {
		if second.Failures+second.Expired > 0 {
			return showsRecovered
		}
	}
	if f := s.figures; !h.Kept && f.Failures+f.Expired+f.TimedOut > 0 {
		return showsFailed
	}
	return shows
}

var goDuration = regexp.MustCompile(`\b(\d+h)?(\d+m)?\d+(\.\d+)?(ns|us|µs|ms|s)\b`)

// respelled spells the durations in a text of ours as the page does.
func respelled(text string) string {
	return goDuration.ReplaceAllStringFunc(text, func(found string) string {
		d, err := time.ParseDuration(found)
		if err != nil {
			return found
		}
		return span(d).String()
	})
}

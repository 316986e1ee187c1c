package inspect

import (
	"strconv"
	"strings"
	"time"

	"github.com/punctual-go/punctual/executor/insight"
)

// pastRun is a run that has ended, or expired.
type pastRun struct {
	Task    link      `json:"task"`
	Number  uint64    `json:"number"`
	Attempt uint64    `json:"attempt,omitzero"` // of the run, if the task has Retry
	Due     time.Time `json:"due,omitzero"`
	Started time.Time `json:"started"`
	Took    span      `json:"took"`
	Late    span      `json:"late"`
	Missed  uint64    `json:"missed,omitzero"`
	Skipped bool      `json:"skipped,omitzero"` // then Error says why
	Expired bool      `json:"expired,omitzero"` // then it has not begun
	Error   said      `json:"error,omitempty"`
	Whole   *account  `json:"whole,omitempty"` // where there is more to say, see there
	Why     *lateness `json:"why,omitempty"`
	Log     *runLog   `json:"log,omitempty"` // what it has logged

	err         error
	unexplained bool // nobody knows whether it was late for a reason
}

// OnTime reports whether it began on time, or nearly so, as is known.
func (r pastRun) OnTime() bool { return !r.unexplained && r.Why == nil }

func (s *seen) past(r insight.PastRun) pastRun {
	return pastRun{Task: s.link(r.Name), Number: r.Number, Attempt: r.Attempt, Due: r.Scheduled, Started: r.Started,
		Took: span(r.Took), Late: span(r.Late), Missed: r.Missed, Skipped: r.Skipped,
		Expired: r.Expired, Error: s.page.redactor.error(r.Err), Why: newLateness(r.Why),
		err: r.Err}
}

// Key tells the run from others of its task, on the page.
func (r pastRun) Key() string {
	return strconv.FormatUint(r.Number, 36) + "-" + strconv.FormatInt(r.Started.UnixNano(), 36)
}

// in shows the times of the run in a zone.
func (r pastRun) in(zone *time.Location) pastRun {
	r.Due, r.Started = in(r.Due, zone), in(r.Started, zone)
	return r
}

// lateness is what a late run had waited for.
type lateness struct {
	Total   span     `json:"total"`
	Parts   []part   `json:"parts"`
	Holders []holder `json:"holders,omitempty"`
	Partial bool     `json:"partial,omitzero"`
}

// part is one of the reasons.
type part struct {
	What string `json:"what"` // a field of insight.Lateness, in lower case
	Time span   `json:"time"`
}

// reasons are what the parts are called on the page.
var reasons = map[string]string{
	"clock":    "clock set, or machine asleep",
	"previous": "its own previous run",
	"held":     "pool paused or paced",
	"busy":     "no free worker",
	"queue":    "earlier tasks first",
	"slack":    "slack",
	"wake":     "wake-up",
}

// Reason is what a part is called on the page.
func (p part) Reason() string { return reasons[p.What] }

// holder is a run that held a worker meanwhile.
type holder struct {
	Name   text   `json:"name"`
	Number uint64 `json:"number"`
	For    span   `json:"for"`
}

func newLateness(l *insight.Lateness) *lateness {
	if l == nil {
		return nil
	}
	why := &lateness{Total: span(l.Total), Partial: l.Partial}
	for _, p := range []part{{"clock", span(l.Clock)}, {"previous", span(l.Previous)},
		{"held", span(l.Held)}, {"busy", span(l.Busy)}, {"queue", span(l.Queue)},
		{"slack", span(l.Slack)}, {"wake", span(l.Wake)}} {
		if p.Time > 0 {
			why.Parts = append(why.Parts, p)
		}
	}
	for _, h := range l.Holders {
		why.Holders = append(why.Holders, holder{text(named(h.Name)), h.Number, span(h.For)})
	}
	return why
}

// Words says it in a line.
func (l *lateness) Words() string {
	var words []string
	for _, p := range l.Parts {
		say := p.Time.String() + " " + p.Reason()
		if p.What == l.blocker() && len(l.Holders) > 0 {
			say += " (" + l.held() + ")"
		}
		words = append(words, say)
	}
	if l.Partial {
		words = append(words, "some of it perhaps for runs that are forgotten")
	}
	return strings.Join(words, ", ")
}

// blocker returns the part that is told with who held the workers meanwhile.
func (l *lateness) blocker() (what string) {
	var most span
	for _, p := range l.Parts {
		if (p.What == "busy" || p.What == "queue") && p.Time > most {
			what, most = p.What, p.Time
		}
	}
	return what
}

func (l *lateness) held() string {
	var by []string
	for _, h := range l.Holders {
		by = append(by, h.Name.String()+" "+h.For.String())
	}
	return strings.Join(by, ", ")
}

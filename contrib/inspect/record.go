package inspect

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"time"
)

// record is what a member of a fleet has answered, and nothing more: whatever it is, it is short,
// its links lead to views of its own page, and its times are shown as this process shows times.
type record struct {
	At      time.Time     `json:"at"`
	Shows   word          `json:"shows"`
	Process recorded      `json:"process"`
	Wrong   recordedWrong `json:"wrong"`
	Sources recordSources `json:"sources"`
	Tasks   recordTasks   `json:"tasks"`
	More    int           `json:"more_tasks"`
	Fleet   present       `json:"processes"` // which only a fleet has

	size int           // of the answer, in bytes
	skew time.Duration // of its clock
}

// recorded is the process of a record.
type recorded struct {
	Instance text      `json:"instance"`
	Version  text      `json:"version"`
	Host     text      `json:"host"`
	PID      int       `json:"pid"`
	Started  time.Time `json:"started"`
}

type recordedWrong struct {
	Shown recordTroubles `json:"shown"`
	More  int            `json:"more"`
}

// recordSource is a source of any kind.
type recordSource struct {
	Name   text   `json:"name"`
	Kind   word   `json:"kind"`
	Path   string `json:"path"`
	Shows  word   `json:"shows"`
	State  word   `json:"state"`
	Busy   int    `json:"busy"`
	Queued int    `json:"queued"`
	Runs   uint64 `json:"runs"`

	Failures uint64 `json:"failures"`
}

// word is what something is, or how: one of a few of ours, or whatever a member says.
type word string

// MarshalText returns the word for JSON.
func (w word) MarshalText() ([]byte, error) { return []byte(cut(string(w), longestWord)), nil }

// String returns the word for the page.
func (w word) String() string { return readable(string(w), longestWord) }

const longestWord = 40

// These take only so many of what a member tells.
type (
	recordTroubles []trouble
	recordSources  []recordSource
	recordTasks    []rollTask
	rollRuns       []rollRun
)

// The most that is taken of each, and of all runs of a task that are kept.
const (
	mostTroubles = 100
	mostSources  = 200
	mostRollPast = 32

	mostRemembered = 2 * longestAnswer // in bytes
)

// UnmarshalJSON reads JSON.
func (l *recordTroubles) UnmarshalJSON(text []byte) error { return readMost(text, mostTroubles, l) }

// UnmarshalJSON reads JSON.
func (l *recordSources) UnmarshalJSON(text []byte) error { return readMost(text, mostSources, l) }

// UnmarshalJSON reads JSON.
func (l *recordTasks) UnmarshalJSON(text []byte) error { return readMost(text, mostRoll, l) }

// UnmarshalJSON reads JSON.
func (l *rollRuns) UnmarshalJSON(text []byte) error { return readMost(text, mostRollPast, l) }

// readMost reads the first of the elements of an array.
func readMost[L ~[]E, E any](text []byte, most int, into *L) error {
	d := json.NewDecoder(bytes.NewReader(text))
	if begin, err := d.Token(); err != nil || begin != json.Delim('[') {
		return err // it is something else, such as null
	}
	for d.More() && len(*into) < most {
		var one E
		if err := d.Decode(&one); !tolerable(err) {
			return err
		}
		*into = append(*into, one)
	}
	return nil
}

// tolerable reports whether reading has gone on: a field of another type, as another version may
// have, is left out.
func tolerable(err error) bool {
	var other *json.UnmarshalTypeError
	return err == nil || errors.As(err, &other)
}

// UnmarshalText reads a duration of JSON. Another text becomes zero.
func (d *span) UnmarshalText(text []byte) error {
	t, err := time.ParseDuration(string(text))
	if err == nil {
		*d = span(t)
	}
	return nil
}

// present is whether JSON has something, whatever that is.
type present bool

// UnmarshalJSON reads JSON.
func (p *present) UnmarshalJSON([]byte) error {
	*p = true
	return nil
}

const (
	notPage = oddAnswer("it answers with JSON, but not with that of a page")
	// notProcess is a fleet's: this one may be a member of that, and each would tell the other for
	// ever what was wrong once.
	notProcess = oddAnswer("it answers as a fleet does, and has to be the page of a process")
)

// newRecord reads what a member has answered.
func newRecord(body []byte) (*record, error) {
	r := new(record)
	if err := json.Unmarshal(body, r); !tolerable(err) {
		return nil, notJSON
	}
	switch {
	case r.At.IsZero():
		return nil, notPage
	case bool(r.Fleet) && r.Process.Instance == "":
		return nil, notProcess
	}
	r.size, r.skew = len(body), max(time.Until(r.At), -math.MaxInt64)
	r.clean()
	return r, nil
}

// clean makes a record one that can be shown and kept.
func (r *record) clean() {
	r.More, r.Wrong.More = number(r.More), number(r.Wrong.More)
	p := &r.Process
	r.At, p.Started = localTime(r.At), localTime(p.Started)
	shorten(&r.Shows)
	shorten(&p.Instance)
	shorten(&p.Version)
	shorten(&p.Host)
	for i := range r.Sources {
		s := &r.Sources[i]
		shorten(&s.Name)
		shorten(&s.Kind)
		shorten(&s.Shows)
		shorten(&s.State)
		s.Path = ownPath(s.Path)
	}
	for i := range r.Wrong.Shown {
		r.Wrong.Shown[i].clean()
	}
	for i := range r.Tasks {
		r.Tasks[i].clean()
	}
}

// number returns a number that can be added to others.
func number(n int) int { return min(max(n, 0), 1_000_000) }

func (t *rollTask) clean() {
	t.Pool.clean()
	t.Task.clean()
	t.State = strings.Clone(word(t.State).String())
	t.LastSuccess = localTime(t.LastSuccess)
	if t.Trouble != nil {
		t.Trouble.clean()
	}
	for i := range t.Past {
		t.Past[i].clean()
	}
}

func (r *rollRun) clean() {
	r.Due, r.Started = localTime(r.Due), localTime(r.Started)
	shorten(&r.Error)
	if r.Whole != nil {
		r.Whole.Error = whole(strings.Clone(cut(string(r.Whole.Error), longestWhole)))
		r.Whole.Stack = whole(strings.Clone(cut(string(r.Whole.Stack), longestWhole)))
	}
}

func (t *trouble) clean() {
	t.What = strings.Clone(word(t.What).String())
	t.Reason = readable(t.Reason, shownError)
	t.Since = localTime(t.Since)
	shorten(&t.Error)
	t.Pool.clean()
	if t.Task != nil {
		t.Task.clean()
	}
}

func (l *link) clean() {
	shorten(&l.Name)
	l.Path = ownPath(l.Path)
}

// shorten cuts a text, and has it hold no more memory than it needs.
func shorten[T ~string](t *T) {
	const most = shownError + 32 // one that was cut already has a note
	s := string(*t)
	if len(s) > most {
		s = cut(s, shownError)
	}
	*t = T(strings.Clone(s))
}

// ownPath returns a path if a page can have that, and else "".
func ownPath(path string) string {
	if len(path) > 300 || !viewPath.MatchString(path) {
		return ""
	}
	return strings.Clone(path)
}

// localTime returns a time as this process shows times. One that JSON might not write becomes zero.
func localTime(t time.Time) time.Time {
	if !writable(t) {
		return time.Time{}
	}
	return t.Local()
}

// remember keeps runs that the process had told before and does not any more, up to a bound.
func (r *record) remember(before *record) {
	known := map[[2]text]*rollTask{}
	for i := range before.Tasks {
		known[before.Tasks[i].key()] = &before.Tasks[i]
	}
	for i := range r.Tasks {
		if old := known[r.Tasks[i].key()]; old != nil && r.size < mostRemembered {
			r.size += r.Tasks[i].remember(old.Past)
		}
	}
}

func (t *rollTask) key() [2]text { return [2]text{t.Pool.Name, t.Task.Name} }

// remember adds runs, and returns how many bytes, about.
func (t *rollTask) remember(before rollRuns) (size int) {
	for _, run := range before {
		if len(t.Past) == mostRollPast {
			break
		}
		same := func(r rollRun) bool { return r.Number == run.Number && r.Started.Equal(run.Started) }
		if !slices.ContainsFunc(t.Past, same) {
			t.Past = append(t.Past, run)
			size += run.size()
		}
	}
	return size
}

func (r *rollRun) size() int {
	size := 200 + len(r.Error)
	if r.Whole != nil {
		size += len(r.Whole.Error) + len(r.Whole.Stack)
	}
	return size
}

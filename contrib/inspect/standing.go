package inspect

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"sync"
	"time"
)

// standing is where a run stood when somebody asked.
type standing struct {
	At      time.Time   `json:"at"`
	Task    text        `json:"task"`
	Number  uint64      `json:"run"`
	For     span        `json:"for"`     // how long it had lasted
	Took    span        `json:"took"`    // to find out
	Stopped span        `json:"stopped"` // for how long no goroutine ran meanwhile, at most at a time
	Found   []goroutine `json:"goroutines"`

	name string
}

// stacks has where the last run stood of each source, and sees to it that it is not asked too often:
// by one at a time, and once a minute.
//
//	idle   -> taking   begin
//	taking -> idle     keep: what was found is shown, and for a minute nothing is taken
type stacks struct {
	mu     sync.Mutex
	taking bool
	next   time.Time // when another may be taken
	stood  map[*source]*standing
}

const (
	// eachStack is how long it takes at least from one stack to the next.
	eachStack = time.Minute
	// keptStack is for how long it is shown.
	keptStack = 10 * time.Minute
)

var (
	errTooSoon = errors.New("too soon")
	errNoRun   = errors.New("this run has ended")
)

// of returns where a run of a source stood lately; nil if nobody has asked.
func (s *stacks) of(src *source, now time.Time) *standing {
	s.mu.Lock()
	defer s.mu.Unlock()
	if was := s.stood[src]; was != nil && now.Sub(was.At) < keptStack {
		return was
	}
	return nil
}

// begin returns an error if no stack may be taken now.
func (s *stacks) begin() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	left := time.Until(s.next)
	switch {
	case s.taking:
		return fmt.Errorf("%w: another stack is being taken", errTooSoon)
	case left > 0:
		return fmt.Errorf("%w: a stack stops the whole program for a moment; the next can be taken in %s",
			errTooSoon, wait(left.Truncate(time.Second)+time.Second))
	}
	s.taking = true
	return nil
}

// keep ends what begin has begun. What was found is nil if nothing was looked for.
func (s *stacks) keep(src *source, found *standing) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taking = false
	if found == nil {
		return
	}
	if s.stood == nil {
		s.stood = map[*source]*standing{}
	}
	s.next, s.stood[src] = time.Now().Add(eachStack), found
}

// runKey says which run it is, in a form.
func runKey(name string, number uint64) string {
	return hashed(name) + "." + strconv.FormatUint(number, 10)
}

// takes returns the action that finds out where a run of a source stands.
func (p *Page) takes(src *source) action {
	return func(form url.Values) (bool, error) {
		if err := p.stacks.begin(); err != nil {
			return false, err
		}
		var found *standing
		defer func() { p.stacks.keep(src, found) }()
		for _, r := range src.running() {
			if runKey(r.Name, r.Number) == form.Get("run") {
				found = &standing{At: time.Now(), Task: text(named(r.Name)), Number: r.Number,
					For: span(r.For), name: r.Name}
				found.look(src.name)
				for i, g := range found.Found {
					found.Found[i].Stack = whole(p.redactor.shown(string(g.Stack)))
				}
				return true, nil
			}
		}
		return false, errNoRun
	}
}

// look finds the goroutines that carry the names of the pool and of the task, and measures what that
// costs the others.
func (s *standing) look(pool string) {
	before := stops()
	began := time.Now()
	s.Found = goroutines(labels{pool, s.name})
	s.Took = span(time.Since(began))
	s.Stopped = longestSince(before)
}

// Words says what it has cost.
func (s *standing) Words() string {
	says := "It took " + s.Took.String() + " to find out"
	if s.Stopped > 0 {
		says += "; all goroutines were stopped for less than " + s.Stopped.String() + " at a time"
	}
	return says + "."
}

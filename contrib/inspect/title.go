package inspect

import (
	"fmt"
	"strings"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/internal/gate"
)

// title is what a calendar says of itself. It is asked for that once.
type title struct {
	words phrase
	line  phrase
	zone  *time.Location // nil if it tells none

	trouble said // if it could not be asked
}

// titleOf returns what the calendar of a task says of itself.
func (e *entry) titleOf(c executor.Calendar, a *asker) title {
	q := e.inquiry()
	if known := q.title.Load(); known != nil {
		return *known
	}
	t, trouble := ask(a, q, func() title { return q.learn(c) })
	if trouble != "" {
		return title{words: typeOf(c), trouble: said(trouble)}
	}
	return t
}

// learn asks a calendar for its title. One that fails is not asked again, twice a second.
func (q *inquiry) learn(c executor.Calendar) title {
	t := title{words: typeOf(c), trouble: exits}
	defer func() { q.title.Store(&t) }() // also if it ends the goroutine
	t.trouble = said(attempt(func() { t.ask(c) }))
	if t.zone == nil {
		_ = attempt(func() { t.zone = answersIn(c) }) // who asks for times will see
	}
	return t
}

// attempt calls the user's code, and says what is wrong with it.
func attempt(f func()) (trouble string) {
	gate.Call(f, func(end *gate.End) { trouble = troubleOf(end) })
	return trouble
}

func typeOf(c executor.Calendar) phrase { return newPhrase(fmt.Sprintf("%T", c)) }

// ask asks a calendar what it has methods for: for its text, for words, and for its zone.
func (t *title) ask(c executor.Calendar) {
	text := ""
	if s, ok := c.(fmt.Stringer); ok {
		text = s.String()
	}
	if text != "" {
		t.words = newPhrase(text)
	}
	if d, ok := c.(interface{ Describe() string }); ok {
		if words := d.Describe(); words != "" && words != text {
			t.words, t.line = newPhrase(words), newPhrase(text)
		}
	}
	if z, ok := c.(interface{ Zone() *time.Location }); ok {
		t.zone = z.Zone()
	}
}

// answersIn returns the zone in which a calendar answers, which may be its own.
func answersIn(c executor.Calendar) *time.Location {
	if at := c.Next(time.Now().Round(0)); !at.IsZero() {
		return at.Location()
	}
	return nil
}

// phrase is a text of the user's, of any length: readable on the page, and as it was in JSON. Of
// both only the beginning is kept.
type phrase struct{ page, json string }

func newPhrase(text string) phrase {
	return phrase{label(text), strings.Clone(cut(text, shownError))}
}

// MarshalText returns the text for JSON.
func (p phrase) MarshalText() ([]byte, error) { return []byte(p.json), nil }

// String returns the text for the page.
func (p phrase) String() string { return p.page }

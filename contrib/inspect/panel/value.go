package panel

import "time"

// Value is what stands in a row or beside a name. The zero Value is nothing.
type Value struct {
	Kind  Kind
	Text  string        // of a text, a badge or an error
	Count uint64        // of a count
	Time  time.Time     // of a time: it is shown in its own zone
	Span  time.Duration // of a span
	Link  Ref           // to where it leads; nowhere if its List is empty
}

// Kind is what a [Value] is.
type Kind int

// The kinds of values.
const (
	KindNone Kind = iota
	KindText
	KindBadge
	KindError
	KindCount
	KindTime
	KindSpan
)

// Name is a text of one line: a name, a word.
func Name(text string) Value { return Value{Kind: KindText, Text: text} }

// Badge is a state in a word or two. Those that the page has for tasks have their colors: "ok",
// "failed", "paused", "late".
func Badge(state string) Value { return Value{Kind: KindBadge, Text: state} }

// Error is what an error says.
func Error(text string) Value { return Value{Kind: KindError, Text: text} }

// Count is a number.
func Count(n uint64) Value { return Value{Kind: KindCount, Count: n} }

// Time is a time; nothing if that is zero.
func Time(t time.Time) Value {
	if t.IsZero() {
		return Value{}
	}
	return Value{Kind: KindTime, Time: t}
}

// Span is how long something takes, or has taken.
func Span(d time.Duration) Value { return Value{Kind: KindSpan, Span: d} }

// To returns the value with a link to a list, or to a thing on it.
func (v Value) To(list, id string) Value {
	v.Link = Ref{list, id}
	return v
}

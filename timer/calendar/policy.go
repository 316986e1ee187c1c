package calendar

import "github.com/punctual-go/punctual/internal/civil"

// GapPolicy says what becomes of a time that the clocks of a zone leave out, see [Schedule.Gaps]. It is
// the same type as GapPolicy of package cron.
type GapPolicy = civil.Gap

// What becomes of the times in a gap.
const (
	After GapPolicy = civil.After // one run at the first instant after the gap, for all of them
	Skip  GapPolicy = civil.Skip  // they are left out
)

// RepeatPolicy says which run of a time counts that comes twice, see [Schedule.Repeats]. It is
// the same type as RepeatPolicy of package cron.
type RepeatPolicy = civil.Repeat

// Which of the instants count that show the same time.
const (
	First RepeatPolicy = civil.First
	Last  RepeatPolicy = civil.Last
	Both  RepeatPolicy = civil.Both
)

// policies tells in words what is not the default.
func policies(s civil.Settings) (text string) {
	if s.Gap == civil.Skip {
		text += ", not after gaps"
	}
	switch s.Repeat {
	case civil.Last:
		text += ", the last of repeated times"
	case civil.Both:
		text += ", all repeated times"
	}
	return text
}

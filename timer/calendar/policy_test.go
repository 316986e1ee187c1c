package calendar_test

import (
	"github.com/punctual-go/punctual/timer/calendar"
	"github.com/punctual-go/punctual/timer/cron"
)

// A policy of one package is one of the other.
var (
	_ cron.GapPolicy    = calendar.Skip
	_ cron.RepeatPolicy = calendar.Both
)

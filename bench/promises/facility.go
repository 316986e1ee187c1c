package main

import "time"

// facility is a system that is open. A verb that it does not have is nil.
type facility struct {
	execute func(task func()) (handle, error)
	after   func(delay time.Duration, task func()) (handle, error)
	rate    func(first, period time.Duration, task func()) (handle, error)
	delay   func(first, delay time.Duration, task func()) (handle, error)

	count    func() int // of tasks that wait
	shutdown func()     // in order
	now      func()     // at once
	handback func() int // at once, and how many are handed back
	close    func()     // what is left of it, for tests; may be nil
}

// handle is what a submission returns. A verb that it does not have is nil.
type handle struct {
	cancel   func() answer
	withdraw func() answer
	get      func(limit time.Duration) string // value, failed, cancelled or late
}

// answer is that of a cancellation.
type answer int64

const (
	silent answer = iota - 1
	no
	yes
)

func yesIf(b bool) answer {
	if b {
		return yes
	}
	return no
}

// lacks says what is missing where there is no such verb.
var lacks = map[string]string{
	"execute":  "no verb for a task for now",
	"after":    "no delayed tasks",
	"rate":     "no fixed rate",
	"delay":    "no fixed delay",
	"cancel":   "no cancelling",
	"withdraw": "no verb that withdraws only what has not begun, and says so",
	"get":      "no futures",
	"count":    "no count of what waits",
	"shutdown": "no shutdown",
	"now":      "no shutdown at once",
	"handback": "nothing is handed back",
	"bound":    "no bound",
}

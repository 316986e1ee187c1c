package pairs

import "runtime"

// behaviours are how callbacks go on. Which callback, and at which call, the program says.
var behaviours = []*Feature{
	{Name: "callback panics", behave: func(*life, *record) { panic(errCallback) }},
	{Name: "callback calls Goexit", behave: func(*life, *record) { runtime.Goexit() }},
	{Name: "callback closes the executor", behave: func(l *life,
		_ *record) {
		l.closeFromCallback()
	}},
	{Name: "callback gives a command", behave: func(l *life, r *record) {
		salt := l.seed
		if r != nil {
			salt += uint64(r.id)
		}
		l.giveCommand(nil, r, salt)
	}},
}

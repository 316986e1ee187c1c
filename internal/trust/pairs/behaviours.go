package pairs

import "runtime"

// behaviours are how callbacks go on. Which callback, and at which call, the program says.
var behaviours = []*definition{
	{
		Feature: Feature{Name: "callback panics"},
		behave:  func(*life, *record) { panic(errCallback) },
	},
	{
		Feature: Feature{Name: "callback calls Goexit"},
		behave:  func(*life, *record) { runtime.Goexit() },
	},
	{
		Feature: Feature{Name: "callback closes the executor"},
		behave:  func(l *life, _ *record) { l.closeFromCallback() },
	},
	{
		Feature: Feature{Name: "callback gives a command"},
		behave: func(l *life, r *record) {
			salt := l.seed
			if r != nil {
				salt += uint64(r.id)
			}
			l.giveCommand(nil, r, salt)
		},
	},
}

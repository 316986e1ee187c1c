package main

import "time"

func afterFunc() system {
	return system{
		name:  "AfterFunc",
		about: "time.AfterFunc, a goroutine for each run; Stop to cancel, and to withdraw",
		open:  openAfterFunc,
	}
}

func openAfterFunc(_, bound int) (facility, error) {
	if bound > 0 {
		return facility{}, unable(lacks["bound"])
	}
	return facility{
		after: func(d time.Duration, task func()) (handle, error) {
			t := time.AfterFunc(d, task)
			stop := func() answer { return yesIf(t.Stop()) }
			return handle{cancel: stop, withdraw: stop}, nil
		},
	}, nil
}

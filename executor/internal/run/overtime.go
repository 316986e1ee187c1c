package run

import "time"

// overtime is the timer of such a task, which is set while the task waits. The owner's lock guards
// it.
type overtime struct {
	err   error // of a run that expires
	timer *time.Timer
	at    int64 // when it fires, if it is set
	set   bool
	over  bool // the only run of the task has expired
}

func (t *overtime) expired() bool { return t != nil && t.over }

func (t *overtime) stop() {
	if t != nil && t.set {
		t.set = false
		t.timer.Stop()
	}
}

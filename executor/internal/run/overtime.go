package run

import (
	"time"

	"github.com/punctual-go/punctual/internal/cell"
)

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

// CameTooLate reports whether err, with which a task with this plan has failed, says that its time
// was over: to begin, or to end. An error of the same kind that its body has from another task does
// not. Of a series it is a run that comes too late, so it never does.
func (pl *Plan) CameTooLate(err error) bool {
	return !pl.Periodic() && (pl.Late != nil && cell.Matches(err, pl.Late) ||
		pl.overtime != nil && cell.Matches(err, pl.overtime.err))
}

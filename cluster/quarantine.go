package cluster

import (
	"context"
	"errors"
	"time"
)

// quarantine makes runs that have lost two workers begin one at a time. If one of them kills its
// process, then the others of its kind are not with it again. It is false if another has the place:
// then this one is given back.
func (w *worker) quarantine(h *held) bool {
	if h.lost() < 2 {
		return true
	}
	select {
	case w.alone <- struct{}{}:
	default:
		h.giveBack(errNotAlone)
		return false
	}
	over, done := context.WithTimeout(h.ctx, harmless)
	context.AfterFunc(over, func() {
		done()
		<-w.alone
	})
	return true
}

var errNotAlone = errors.New("cluster: a run that has lost its workers waits for another such")

// harmless is after how long a run that has lost its workers is not expected to kill this one.
const harmless = 5 * time.Second

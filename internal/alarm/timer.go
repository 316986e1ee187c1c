package alarm

import "time"

// timerMeans waits for a runtime timer.
type timerMeans struct {
	timer *time.Timer
	rung  chan struct{}
}

func newTimer() means {
	t := time.NewTimer(time.Hour)
	t.Stop()
	return &timerMeans{timer: t, rung: make(chan struct{}, 1)}
}

func (t *timerMeans) set(at, now int64) { t.timer.Reset(time.Duration(at - now)) }

func (t *timerMeans) ring() {
	select {
	case t.rung <- struct{}{}:
	default: // it is ringing already
	}
}

func (t *timerMeans) wait(done <-chan struct{}) {
	select {
	case <-t.timer.C:
	case <-t.rung:
	case <-done:
	}
}

func (t *timerMeans) close() { t.timer.Stop() }

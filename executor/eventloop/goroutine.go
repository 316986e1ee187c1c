package eventloop

import (
	"runtime/pprof"

	"github.com/punctual-go/punctual/internal/goid"
)

// work is the goroutine of the loop. There is never more than one; see wake.go for when one starts.
//
//	taking   -> asleep    nothing is due
//	asleep   -> taking    something may be due, or the stage has changed
//	taking   -> running   a task is due
//	running  -> taking    its body has returned
//	running  -> replaced  its body has called Goexit; a new goroutine goes on
//	taking   -> replaced  an observer of a drop has called Goexit; likewise
//	taking   -> gone      nothing waits
func (w *worker) work() {
	// A body may call Goexit; then this deferred call is all that is left of the goroutine.
	gone := false
	defer func() {
		if !gone {
			w.replace()
		}
	}()
	w.arrive()
	taken, ended := w.take()
	for taken {
		w.run()
		w.complete()
		taken, ended = w.take()
	}
	gone = true
	if ended {
		// Without the lock: the one calls the user's Writer, which may end the goroutine, and the
		// other wakes those who wait for the end of the loop.
		defer close(w.loop.life.gone)
		w.loop.runs.CloseRecording()
	}
}

// replace starts the next goroutine after a Goexit of this one. If a body has called it, its task
// is completed first; an observer may call it between two runs, when there is no task. The start is
// deferred, as an error handler called by complete may call Goexit in turn.
func (w *worker) replace() {
	defer func() {
		w.goroutine.Store(0)
		go w.work()
	}()
	if w.exec.Task != nil {
		w.complete()
	}
}

// arrive makes the calling goroutine the loop's.
func (w *worker) arrive() {
	// The goroutine has started with the labels of whoever started it.
	pprof.SetGoroutineLabels(w.labels)
	w.loop.mu.Lock()
	defer w.loop.mu.Unlock()
	w.goroutine.Store(goid.Current())
	w.loop.counts.starts++
	w.loop.busyLocked()
}

// take accounts for the last task, waits for the next, and starts it. It reports false if there is
// none; then the goroutine is no longer the loop's and must end, and bring the loop to its end if
// ended says so.
func (w *worker) take() (taken, ended bool) {
	l := w.loop
	l.mu.Lock()
	if w.exec.Task != nil {
		// What arrived during a run comes before the next run of its series at an equal time.
		l.waiting.collectLocked()
		if refused := w.accountLocked(); refused != nil {
			l.mu.Unlock()
			l.endSeries(refused)
			l.mu.Lock()
		}
	}
	for {
		l.waiting.collectLocked()
		now := l.clock.Now()
		if l.life.stage == quieting {
			if swept, again := l.life.sweepQuietingLocked(now); again {
				l.mu.Unlock()
				l.life.settle(swept)
				l.mu.Lock()
				continue
			}
		}
		switch c := l.waiting.agenda.head(); {
		case c != nil && c.When <= now:
			if w.exec.Start(l.waiting.agenda.pop(), planOf(c), now) {
				l.mu.Unlock()
				return true, false
			}
			l.counts.reclaimed++ // it was cancelled
		case l.life.stage == quieting:
			l.rest.sleep(l.life.calm.until(), now)
		case c != nil:
			l.rest.sleep(l.rest.look(c.When), now)
		default:
			if w.leaveLocked() {
				ended = l.life.stage == terminated
				l.mu.Unlock()
				return false, ended
			}
		}
	}
}

// mayEndLocked reports whether a loop without tasks may end. It waits for those who cancel a task
// that it has already dropped: they are to count it, or to tell of it.
func (lf *life) mayEndLocked() bool {
	return lf.stage >= draining && lf.loop.waiting.tombstonesLocked() >= 0 &&
		lf.loop.runs.SettlingLocked() == 0
}

// leaveLocked ends the goroutine's duty, and the loop itself if it is shut down. It reports false
// if a task has arrived after all. A task that is still being settled by somebody keeps a loop that
// is shut down from ending; whoever settles it signals.
func (w *worker) leaveLocked() (left bool) {
	l := w.loop
	if l.life.mayEndLocked() {
		l.life.terminateLocked()
		return true
	}
	// The exchange fails if a submitter has seen absent and starts a new goroutine. That one cannot
	// arrive before this one has let go of the lock.
	l.rest.next.Store(absent)
	more := !l.waiting.intake.empty() || l.life.mayEndLocked()
	if more && l.rest.next.CompareAndSwap(absent, awake) {
		return false
	}
	w.goroutine.Store(0)
	return true
}

package eventloop

import (
	"runtime/pprof"

	"github.com/punctual-go/punctual/internal/goid"
)

// loop is the goroutine of the loop. There is never more than one; see wake.go for when one starts.
//
//	taking   -> asleep    nothing is due
//	asleep   -> taking    something may be due, or the stage has changed
//	taking   -> running   a task is due
//	running  -> taking    its body has returned
//	running  -> replaced  its body has called Goexit; a new goroutine goes on
//	taking   -> replaced  an observer of a drop has called Goexit; likewise
//	taking   -> gone      nothing waits
func (l *Loop) loop() {
	// A body may call Goexit; then this deferred call is all that is left of the goroutine.
	gone := false
	defer func() {
		if !gone {
			l.replace()
		}
	}()
	l.arrive()
	taken, ended := l.take()
	for taken {
		l.run()
		l.complete()
		taken, ended = l.take()
	}
	gone = true
	if ended {
		// Without the lock: the one calls the user's Writer, which may end the goroutine, and the
		// other wakes those who wait for the end of the loop.
		defer close(l.gone)
		l.runs.CloseRecording()
	}
}

// replace starts the next goroutine after a Goexit of this one. If a body has called it, its task
// is completed first; an observer may call it between two runs, when there is no task. The start is
// deferred, as an error handler called by complete may call Goexit in turn.
func (l *Loop) replace() {
	defer func() {
		l.goroutine.Store(0)
		go l.loop()
	}()
	if l.exec.Task != nil {
		l.complete()
	}
}

// arrive makes the calling goroutine the loop's.
func (l *Loop) arrive() {
	// The goroutine has started with the labels of whoever started it.
	pprof.SetGoroutineLabels(l.labels)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.goroutine.Store(goid.Current())
	l.counts.starts++
	l.busyLocked()
}

// take accounts for the last task, waits for the next, and starts it. It reports false if there is
// none; then the goroutine is no longer the loop's and must end, and bring the loop to its end if
// ended says so.
func (l *Loop) take() (taken, ended bool) {
	l.mu.Lock()
	if l.exec.Task != nil {
		// What arrived during a run comes before the next run of its series at an equal time.
		l.collectLocked()
		if refused := l.accountLocked(); refused != nil {
			l.mu.Unlock()
			l.endSeries(refused)
			l.mu.Lock()
		}
	}
	for {
		l.collectLocked()
		now := l.clock.Now()
		if l.stage == quieting {
			if swept, again := l.sweepQuietingLocked(now); again {
				l.mu.Unlock()
				l.settle(swept)
				l.mu.Lock()
				continue
			}
		}
		switch c := l.agenda.head(); {
		case c != nil && c.When <= now:
			if l.startLocked(l.agenda.pop(), now) {
				l.mu.Unlock()
				return true, false
			}
		case l.stage == quieting:
			l.sleep(l.calm.until(), now)
		case c != nil:
			l.sleep(l.look(c.When), now)
		default:
			if l.leaveLocked() {
				ended = l.stage == terminated
				l.mu.Unlock()
				return false, ended
			}
		}
	}
}

// collectLocked moves what has arrived onto the agenda, and takes out what has been cancelled.
func (l *Loop) collectLocked() {
	if !l.intake.empty() {
		l.admitLocked(l.intake.take())
	}
	l.reclaimCancelledLocked()
}

// admitLocked puts a chain of links on the agenda.
func (l *Loop) admitLocked(n *link) {
	if n == nil {
		return
	}
	now := l.clock.Now()
	for n != nil {
		// The link goes into the line of the agenda, which uses after as well.
		next := n.after
		n.after = nil
		l.enqueueLocked(n, now)
		n = next
	}
}

// enqueueLocked accepts one task. One that was cancelled on its way here counts as accepted, and
// never reaches the agenda.
func (l *Loop) enqueueLocked(n *link, now int64) {
	l.counts.accepted++
	if n.cell.Phase().Settled() {
		l.counts.reclaimed++
		return
	}
	l.order++
	n.cell.Order = l.order
	if l.stage == quieting && !l.wantedLocked(n.cell, now) {
		l.calm.unwanted = append(l.calm.unwanted, n.cell)
		return
	}
	l.agenda.add(n, now)
}

// mayEndLocked reports whether a loop without tasks may end. It waits for those who cancel a task
// that it has already dropped: they are to count it, or to tell of it.
func (l *Loop) mayEndLocked() bool {
	return l.stage >= draining && l.tombstonesLocked() >= 0 && l.runs.SettlingLocked() == 0
}

// leaveLocked ends the goroutine's duty, and the loop itself if it is shut down. It reports false
// if a task has arrived after all. A task that is still being settled by somebody keeps a loop that
// is shut down from ending; whoever settles it signals.
func (l *Loop) leaveLocked() (left bool) {
	if l.mayEndLocked() {
		l.terminateLocked()
		return true
	}
	// The exchange fails if a submitter has seen absent and starts a new goroutine. That one cannot
	// arrive before this one has let go of the lock.
	l.next.Store(absent)
	if (!l.intake.empty() || l.mayEndLocked()) && l.next.CompareAndSwap(absent, awake) {
		return false
	}
	l.goroutine.Store(0)
	return true
}

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
//	running  -> replaced  its body has ended the goroutine; another goes on
//	taking   -> gone      nothing waits
func (l *Loop) loop() {
	ended := true
	defer func() {
		if ended {
			l.replace()
		}
	}()
	l.arrive()
	for l.take() {
		l.run()
		l.complete()
	}
	ended = false
}

// replace completes the task of a goroutine that Goexit has ended, and has another go on.
func (l *Loop) replace() {
	defer func() {
		l.goroutine.Store(0)
		go l.loop()
	}()
	l.complete()
}

// arrive makes the calling goroutine the loop's.
func (l *Loop) arrive() {
	pprof.SetGoroutineLabels(l.labels) // it has started with those of whoever starts it
	l.mu.Lock()
	defer l.mu.Unlock()
	l.goroutine.Store(goid.Current())
	l.counts.starts++
}

// take waits for the next task, after accounting for the last, and starts it. It reports false if there is
// none, and then the goroutine is the loop's no more.
func (l *Loop) take() bool {
	l.mu.Lock()
	if l.exec.Task != nil {
		l.collect() // what has come during a run comes before the next of its series
		if refused := l.account(); refused != nil {
			l.mu.Unlock()
			l.endSeries(refused)
			l.mu.Lock()
		}
	}
	for {
		l.collect()
		now := l.clock.Now()
		if l.stage == quieting {
			if swept, again := l.hush(now); again {
				l.mu.Unlock()
				l.settle(swept)
				l.mu.Lock()
				continue
			}
		}
		switch c := l.agenda.head(); {
		case c != nil && c.When <= now:
			if l.start(l.agenda.pop(), now) {
				l.mu.Unlock()
				return true
			}
		case l.stage == quieting:
			l.sleep(l.calm.until(), now)
		case c != nil:
			l.sleep(c.When, now)
		default:
			if l.leave() {
				ended := l.stage == terminated
				l.mu.Unlock()
				if ended {
					close(l.gone)
				}
				return false
			}
		}
	}
}

// collect moves what has come in to the agenda, and takes out what has been cancelled. The lock is held.
func (l *Loop) collect() {
	if !l.intake.empty() {
		l.admit(l.intake.take())
	}
	l.heed()
}

// admit puts links, chained, on the agenda. The lock is held.
func (l *Loop) admit(n *link) {
	if n == nil {
		return
	}
	now := l.clock.Now()
	for n != nil {
		next := n.after
		n.after = nil
		l.enlist(n, now)
		n = next
	}
}

// enlist accepts one task. What has been cancelled on its way the agenda never sees. The lock is held.
func (l *Loop) enlist(n *link, now int64) {
	l.counts.accepted++
	if n.cell.Phase().Settled() {
		l.counts.buried++
		return
	}
	l.order++
	n.cell.Order = l.order
	if l.stage == quieting && !l.wanted(n.cell, now) {
		l.calm.unwanted = append(l.calm.unwanted, n.cell)
		return
	}
	l.agenda.add(n, now)
}

// leave ends the goroutine as there is nothing to do, unless there is something after all; and the loop
// if it is shut down. The lock is held.
func (l *Loop) leave() (left bool) {
	if l.stage >= draining && l.runs.Settling == 0 {
		l.terminate()
		return true
	}
	l.next.Store(absent)
	if !l.intake.empty() && l.next.CompareAndSwap(absent, awake) {
		return false
	}
	l.goroutine.Store(0)
	return true
}

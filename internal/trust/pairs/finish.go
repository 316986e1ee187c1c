package pairs

import (
	"context"
	"time"

	"github.com/punctual-go/punctual/executor"
)

// settle ends what would go on for ever, gives everything its time, and checks that nothing is
// left.
func (l *life) settle() {
	if l.host.pool != nil {
		l.course.resumed(l.now())
		l.host.pool.Resume()
	}
	l.host.group.SetLimit(-1)
	for range 2 {
		for _, r := range l.journal.all() {
			if h, ok := l.handle(r); ok && r.t.way.way&seriesWays != 0 {
				go l.give(byName["Cancel"], r, h.Cancel) // what it tells may end the goroutine
			}
		}
		if l.course.isShut() {
			l.endFollower()
		}
		time.Sleep(patience / 2)
	}
	l.sample()
	if l.course.isShut() && !l.host.ended() {
		l.found.stuck("%s has not ended the executor after %v: %v", l.course.howShut(), patience,
			l.host.executor)
	}
	l.audit.checkNothingOpen("before the end")
}

// finish ends the executor, and waits for its end.
func (l *life) finish() {
	if !l.course.isShut() {
		l.beginEnd()
	}
	time.Sleep(20 * ms)
	for _, f := range l.ends[1:] {
		go f.endMarked(l)
		time.Sleep(5 * ms)
	}
	limit := time.NewTimer(patience)
	defer limit.Stop()
	select {
	case <-l.host.executor.Terminated():
	case <-limit.C:
		l.endSeries()
	}
	limit.Reset(patience)
	select {
	case <-l.host.executor.Terminated():
	case <-limit.C:
		l.found.stuck("%s has not ended the executor: %v", l.course.howShut(), l.host.executor)
		return
	}
	l.course.ends()
	go func() { _ = l.host.group.Wait() }()
	time.Sleep(100 * ms) // for bodies that are deaf
}

// endSeries cancels series that go on after a Shutdown that lets them.
func (l *life) endSeries() {
	if l.host.sched == nil || !l.host.sched.ContinuePeriodicAfterShutdown() {
		return
	}
	for _, r := range l.journal.all() {
		if h, ok := l.handle(r); ok {
			go l.give(byName["Cancel"], r, h.Cancel)
		}
	}
	l.endFollower()
}

// endFollower cancels the job that follows the others.
func (l *life) endFollower() {
	if l.host.sched == nil {
		return
	}
	if h, ok := l.host.sched.Job(follower); ok {
		go h.Cancel() // what it tells may end the goroutine
	}
}

// beginEnd begins to end the executor.
func (l *life) beginEnd() {
	f := l.ends[0]
	l.course.shutting(f.Name)
	go f.endMarked(l)
	l.sample()
}

func (f *Feature) endMarked(l *life) {
	l.found.op()
	l.course.resumed(l.now()) // a shutdown ends a pause
	l.marks.moment(f)
	definitionOf(f).end(l)
}

// closed checks that an executor that says so has ended.
func (l *life) closed(err error) {
	if err == nil && !l.host.ended() {
		l.found.early("a Close returns before the end")
	}
}

// handedBack notes tasks that a shutdown has handed back.
func (l *life) handedBack(list []executor.Pending) {
	for _, p := range list {
		if r := l.journal.named(p.Name); r != nil {
			if l.journal.lists(r) > 1 {
				l.found.duplicate("%s is handed back twice", p.Name)
			}
		}
	}
}

// closeInside closes the executor from a task; it must not wait for itself.
func (l *life) closeInside(ctx context.Context) {
	l.course.shutting("Close in a body")
	l.course.resumed(l.now())
	_ = l.host.executor.Close()
}

func (l *life) closeFromCallback() {
	l.course.shutting("Close in a callback")
	l.course.resumed(l.now())
	_ = l.host.executor.Close()
}

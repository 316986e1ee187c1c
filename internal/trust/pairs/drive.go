package pairs

import (
	"testing/synctest"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/serial"
	"github.com/punctual-go/punctual/internal/trust/figures"
)

// patience is the virtual time after which something counts as stuck: longer than all there is to
// do.
const patience = 10 * time.Second

// drive runs the program on a goroutine of its own, as the driver may be stuck itself.
func (l *life) drive() {
	l.start = time.Now()
	done := make(chan struct{})
	go func() {
		defer close(done)
		l.open()
		go l.noteTermination()
		l.play()
		if l.calm {
			l.settle()
		}
		l.finish()
	}()
	limit := time.NewTimer(10 * patience)
	defer limit.Stop()
	select {
	case <-done:
	case <-limit.C:
		l.found.stuck("the program is stuck")
		return
	}
	for _, f := range l.cleanups {
		f()
	}
	time.Sleep(time.Second)
	synctest.Wait()
	l.audit.check()
	l.found.ends()
	for _, u := range l.everyUse() {
		if d := definitionOf(u.Feature); d.observed != nil {
			d.observed(l, u)
		}
	}
	l.found.sees(l.marks.count())
}

// everyUse returns one use of each feature that the program has.
func (l *life) everyUse() (all []*use) {
	have := map[*Feature]bool{}
	add := func(u *use) {
		if !have[u.Feature] {
			have[u.Feature] = true
			all = append(all, u)
		}
	}
	for _, u := range l.uses {
		add(u)
	}
	for _, c := range l.commands {
		add(c.use)
	}
	for _, r := range l.journal.records {
		for _, u := range r.t.options {
			add(u)
		}
	}
	return all
}

// open makes the executor.
func (l *life) open() {
	var all []executor.Option
	if !l.has("Logger") {
		all = append(all, executor.Logger(silent))
	}
	if l.watch {
		l.gauges.told = figures.NewTally()
		all = append(all, executor.Observe(l.journal.observer(), l.gauges.told.Observer()))
	}
	for _, u := range l.uses {
		if d := definitionOf(u.Feature); d.option != nil {
			all = append(all, d.option(l, u)...)
		}
	}
	var lanes []serial.Option
	for _, u := range l.uses {
		if d := definitionOf(u.Feature); d.lane != nil {
			lanes = append(lanes, d.lane(l, u))
		}
	}
	l.host.open(l.program, all, lanes)
}

// play submits the tasks and gives the commands, each at its time and on a goroutine of its own, as
// it may wait or end its goroutine. Before the next one all the work of the moment is done.
func (l *life) play() {
	tasks, commands := l.tasks, l.commands
	for len(tasks)+len(commands) > 0 {
		if len(commands) == 0 || len(tasks) > 0 && tasks[0].at <= commands[0].at {
			t := tasks[0]
			tasks = tasks[1:]
			if t.at > l.endAt+20*ms {
				continue
			}
			l.sleepUntil(t.at)
			r := l.journal.open(t)
			l.course.comes(l.host.ended())
			go l.submit(r)
		} else {
			c := commands[0]
			commands = commands[1:]
			if c.at >= l.endAt && !l.obeyedAfterEnd(c) {
				continue
			}
			l.sleepUntil(c.at)
			go l.obey(c)
		}
		l.sample()
	}
	l.sleepUntil(l.endAt)
}

// noteTermination notes when the executor terminates.
func (l *life) noteTermination() {
	<-l.host.executor.Terminated()
	l.course.terminates()
}

// sleepUntil sleeps, and ends the executor on the way if that is due.
func (l *life) sleepUntil(at time.Duration) {
	if at > l.endAt && !l.course.isShut() && !l.calm {
		l.sleepUntil(l.endAt)
		l.beginEnd()
	}
	if d := at - l.now(); d > 0 {
		time.Sleep(d)
	}
}

// obey gives a command. A callback that it calls may panic.
func (l *life) obey(c command) {
	defer func() {
		if v := recover(); v != nil && v != errCallback {
			panic(v)
		}
	}()
	l.found.op()
	var r *record
	if c.task != nil {
		if r = l.journal.of(c.task); r == nil {
			return
		}
	}
	definitionOf(c.Feature).command(l, r, c.use)
}

package differential

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// The named differences: where Punctual does something else than the JDK, on purpose. Each has its
// row in docs/differential.md. Where one is due it has to happen: see [script.translate].
const (
	// A task that is dropped settles its future; in Java it stays pending, or is cancelled.
	settled = "settled"
	// ShutdownNow also returns the series that are in a run, as they will not run again.
	running = "running"
	// A task of a timer that has ended cannot be cancelled any more; in Java it looks as if it
	// could.
	ended = "ended"
	// A pool that is shut down refuses tasks, whatever its policy; Java's drop them, but for
	// AbortPolicy.
	refused = "refused"
)

// differences are those of two histories of one script that no name explains. counts has the named.
func differences(s script, java, here string, counts map[string]int) (unexplained []string) {
	theirs, ours := parse(java), parse(here)
	for i := range max(len(theirs.events), len(ours.events)) {
		if a, b := at(theirs.events, i), at(ours.events, i); a != b {
			return append(unexplained, fmt.Sprintf("event %d: %v in Java, %v here", i, a, b))
		}
	}
	want := s.translate(theirs, counts)
	keys := slices.Collect(maps.Keys(want))
	for key := range ours.results {
		if _, ok := want[key]; !ok {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	for _, key := range keys {
		if a, b := said(want, key), said(ours.results, key); a != b {
			unexplained = append(unexplained, fmt.Sprintf("%s: %s in Java, to be %s, is %s", key,
				said(theirs.results, key), a, b))
		}
	}
	return unexplained
}

func at(list []event, i int) event {
	if i < len(list) {
		return list[i]
	}
	return event{what: '-'}
}

func said(results map[string]string, key string) string {
	if text, ok := results[key]; ok {
		return "=" + text
	}
	return "nothing"
}

// translation turns what Java's said into what has to be said here.
type translation struct {
	script
	java    outcome
	dropped map[int]int // tasks that are not to run (again), and the command that dropped them
	over    int         // when a timer has ended
	want    map[string]string
	counts  map[string]int
}

// translate returns what commands and futures have to say here, after what happened on the JDK. It
// counts what is different, by name.
func (s script) translate(java outcome, counts map[string]int) map[string]string {
	x := translation{script: s, java: java, dropped: s.lost(java), over: s.over(java),
		want: maps.Clone(java.results), counts: counts}
	x.shutdownNow()
	for i, c := range s.commands {
		switch {
		case c.op == cancel && !s.refuses(c.n[0]):
			x.cancel(i, c)
		case !c.task():
		case s.refuses(i):
			x.refuse(i)
		default:
			x.settle(i)
		}
	}
	return x.want
}

func (x *translation) say(name string, what byte, command int, text string) {
	x.want[key(what, command)] = text
	x.counts[name]++
}

// shutdownNow drops what Java's returns, and here returns also the series that are in a run, even
// if a shutdown has already made that their last. Until it ends they can be cancelled.
func (x *translation) shutdownNow() {
	now := x.first(shutdownNow)
	if x.kind == timed {
		return
	}
	text, _ := x.java.result('n', now)
	left := numbers(text)
	theirs := len(left)
	for _, n := range left {
		x.dropped[n] = now
	}
	for i, c := range x.commands[:now] {
		live := c.series() && x.java.cancelled(x.script, i) > now
		if live && x.java.runsAt(i, x.commands[now].at) {
			left = append(left, i)
		}
	}
	if len(left) > theirs {
		slices.Sort(left)
		x.say(running, 'n', now, strings.ReplaceAll(fmt.Sprint(left), " ", ","))
	}
}

// refuse is for a task that Java's drops in silence. Nothing but a cancel settles its future there,
// and here there is none.
func (x *translation) refuse(task int) {
	if _, ok := x.java.result('r', task); !ok {
		x.say(refused, 'r', task, "")
	}
	x.silence('f', task)
	for i, c := range x.commands {
		if c.op == cancel && c.n[0] == task {
			x.silence('c', i)
		}
	}
}

// silence is for what is said of a future that is not there here.
func (x *translation) silence(what byte, command int) {
	if _, ok := x.java.result(what, command); ok {
		delete(x.want, key(what, command))
		x.counts[refused]++
	}
}

// settle says what becomes of the future of a task.
func (x *translation) settle(task int) {
	dropped, isDropped := x.dropped[task]
	cancelled := x.java.cancelled(x.script, task) // by a command
	switch state, _ := x.java.result('f', task); {
	case state == "P" && isDropped:
		x.say(settled, 'f', task, "D")
	case state == "C" && cancelled == len(x.commands): // by the pool itself
		x.say(settled, 'f', task, "D")
	case state == "C" && isDropped && dropped < cancelled:
		x.say(settled, 'f', task, "D")
	}
}

// cancel of what was dropped, or of what waits in a timer that has ended, does nothing here.
func (x *translation) cancel(i int, c command) {
	if !x.java.cancels(i) {
		return
	}
	if dropped, ok := x.dropped[c.n[0]]; ok && dropped < i {
		x.say(settled, 'c', i, "0")
	} else if x.kind == timed && x.over <= c.at {
		x.say(ended, 'c', i, "0")
	}
}

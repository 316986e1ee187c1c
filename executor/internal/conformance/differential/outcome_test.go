package differential

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// outcome is a history, taken apart: what happened when, and what commands and futures said.
type outcome struct {
	events  []event
	results map[string]string
}

// never is after all instants.
const never = math.MaxInt

// event is the start or the end of a run of the task of a command, or the end of a pool.
type event struct {
	what byte
	task int
	at   int
}

func (e event) String() string {
	if e.what == 't' {
		return fmt.Sprintf("t@%d", e.at)
	}
	return fmt.Sprintf("%c%d@%d", e.what, e.task, e.at)
}

func parse(history string) outcome {
	o := outcome{results: map[string]string{}}
	for token := range strings.FieldsSeq(history) {
		if what, when, ok := strings.Cut(token, "@"); ok {
			task, _ := strconv.Atoi(what[1:])
			at, _ := strconv.Atoi(when)
			o.events = append(o.events, event{what[0], task, at})
			continue
		}
		key, value, _ := strings.Cut(token, "=")
		o.results[key] = value
	}
	return o
}

// result is what a command or a future said, and whether it said anything.
func (o outcome) result(what byte, command int) (string, bool) {
	text, ok := o.results[key(what, command)]
	return text, ok
}

func key(what byte, command int) string { return string(what) + strconv.Itoa(command) }

// started is when the first run of a task began, or never.
func (o outcome) started(task int) int {
	for _, e := range o.events {
		if e.what == 's' && e.task == task {
			return e.at
		}
	}
	return never
}

// ended is when a run of a task ended, the first being 1, or never.
func (o outcome) ended(task, run int) int {
	for _, e := range o.events {
		if e.what == 'e' && e.task == task {
			if run--; run == 0 {
				return e.at
			}
		}
	}
	return never
}

// runsAt tells whether a run of a task has begun before an instant, and not ended.
func (o outcome) runsAt(task, instant int) (runs bool) {
	for _, e := range o.events {
		switch {
		case e.task != task:
		case e.what == 's' && e.at <= instant:
			runs = true
		case e.what == 'e' && e.at < instant:
			runs = false
		}
	}
	return runs
}

// cancels tells whether a command says it has cancelled a task.
func (o outcome) cancels(command int) bool {
	text, _ := o.result('c', command)
	return text == "1"
}

// cancelled is the first command that says it has cancelled a task, or the number of commands.
func (o outcome) cancelled(s script, task int) int {
	for i, c := range s.commands {
		if c.op == cancel && c.n[0] == task && o.cancels(i) {
			return i
		}
	}
	return len(s.commands)
}

// numbers are those of a list.
func numbers(text string) (list []int) {
	digit := func(r rune) bool { return '0' <= r && r <= '9' }
	for field := range strings.FieldsFuncSeq(text, func(r rune) bool { return !digit(r) }) {
		n, _ := strconv.Atoi(field)
		list = append(list, n)
	}
	return list
}

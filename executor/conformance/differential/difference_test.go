package differential

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// The named differences: where Punctual does something else than the JDK, on purpose. Each has its row
// in docs/differential.md, and is counted.
const (
	// A task that is dropped settles its future; in Java it stays pending, or is cancelled.
	settled = "settled"
	// ShutdownNow also returns the series that are in a run, as they will not run again.
	running = "running"
	// A task of a timer that has ended cannot be cancelled any more; in Java it looks as if it could.
	ended = "ended"
	// A pool that is shut down refuses tasks, whatever its policy; Java's drop them, but for AbortPolicy.
	refused = "refused"
)

// differences are those of two histories of one script that no name explains. counts has the named.
func differences(s script, java, here string, counts map[string]int) (unexplained []string) {
	theirs, ours := parse(java), parse(here)
	for i := range max(len(theirs.events), len(ours.events)) {
		if a, b := at(theirs.events, i), at(ours.events, i); a != b {
			return append(unexplained, fmt.Sprintf("event %d: %q in Java, %q here", i, a, b))
		}
	}
	keys := slices.Sorted(maps.Keys(theirs.results))
	for _, key := range slices.Compact(slices.Sorted(maps.Keys(ours.results))) {
		if _, ok := theirs.results[key]; !ok {
			keys = append(keys, key)
		}
	}
	for _, key := range keys {
		a, inJava := theirs.results[key]
		b, isHere := ours.results[key]
		if inJava == isHere && a == b {
			continue
		}
		if name := explained(s, ours, key, a, b); name != "" {
			counts[name]++
			continue
		}
		unexplained = append(unexplained, fmt.Sprintf("%s: %q in Java, %q here", key, a, b))
	}
	return unexplained
}

// outcome is a history, taken apart: what happened when, and what commands and futures said.
type outcome struct {
	events  []string
	results map[string]string
}

func parse(history string) outcome {
	o := outcome{results: map[string]string{}}
	for _, token := range strings.Fields(history) {
		if strings.Contains(token, "@") {
			o.events = append(o.events, token)
			continue
		}
		key, value, _ := strings.Cut(token, "=")
		o.results[key] = value
	}
	return o
}

func at(list []string, i int) string {
	if i < len(list) {
		return list[i]
	}
	return "nothing"
}

// explained names the difference of what a command or a future has said.
func explained(s script, ours outcome, key, java, here string) string {
	command, _ := strconv.Atoi(key[1:])
	_, isRefused := ours.results[fmt.Sprint("r", command)]
	switch key[0] {
	case 'f':
		if here == "D" && (java == "P" || java == "C") {
			return settled
		}
		if java == "P" && here == "" && isRefused && s.refuses(command) {
			return refused
		}
	case 'r':
		if isRefused && s.refuses(command) {
			return refused
		}
	case 'n':
		if s.alsoRunning(ours.events, numbers(java), numbers(here)) {
			return running
		}
	case 'c':
		if dropped := ours.results[fmt.Sprint("f", s.commands[command].n[0])]; java == "1" && here == "0" && dropped == "D" {
			return settled
		}
		if s.kind == timed && java == "1" && here == "0" && s.timerEnded(ours, command) {
			return ended
		}
	}
	return ""
}

// refuses tells whether a command comes after a shutdown, with a policy that drops in Java.
func (s script) refuses(command int) bool {
	for _, c := range s.commands[:command] {
		if c.op == shutdown || c.op == shutdownNow {
			return s.kind == pooled && s.policy != abort
		}
	}
	return false
}

// timerEnded tells whether a task has ended a timer before a command: then all after it are refused.
func (s script) timerEnded(ours outcome, command int) bool {
	for i := command + 1; i < len(s.commands); i++ {
		if op := s.commands[i].op; op == once || op == rate || op == delay {
			_, isRefused := ours.results[fmt.Sprint("r", i)]
			return isRefused
		}
	}
	for i := command - 1; i >= 0; i-- {
		if _, isRefused := ours.results[fmt.Sprint("r", i)]; isRefused {
			return true
		}
	}
	return s.commands[command].at > lastEvent(ours.events)
}

func lastEvent(events []string) (at int) {
	for _, e := range events {
		_, when, _ := strings.Cut(e, "@")
		n, _ := strconv.Atoi(when)
		at = max(at, n)
	}
	return at
}

// alsoRunning tells whether what ShutdownNow returned here are the tasks of Java, and the series that
// were in a run then.
func (s script) alsoRunning(ours []string, java, here []int) bool {
	at := s.commands[len(s.commands)-1].at
	for i := range s.commands {
		if s.commands[i].op == shutdownNow {
			at = s.commands[i].at
		}
	}
	for _, n := range here {
		if op := s.commands[n].op; !slices.Contains(java, n) && (op == rate || op == delay) && runsAt(ours, n, at) {
			java = append(java, n)
		}
	}
	slices.Sort(java)
	return slices.Equal(java, here)
}

// runsAt tells whether a run of a task has begun before an instant, and not ended.
func runsAt(tokens []string, n, instant int) bool {
	runs := false
	for _, token := range tokens {
		what, when, ok := strings.Cut(token, "@")
		at, _ := strconv.Atoi(when)
		switch {
		case !ok:
		case what == fmt.Sprintf("s%d", n) && at <= instant:
			runs = true
		case what == fmt.Sprintf("e%d", n) && at < instant:
			runs = false
		}
	}
	return runs
}

// numbers are those of a list.
func numbers(text string) (list []int) {
	for _, field := range strings.FieldsFunc(text, func(r rune) bool { return r < '0' || r > '9' }) {
		n, _ := strconv.Atoi(field)
		list = append(list, n)
	}
	return list
}

package cluster

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

// subjects are the names of one pool on the wire:
//
//	punctual.<pool>.arm.<task>.o.<client>.<id>   a task that waits for its time
//	punctual.<pool>.arm.<task>.s.<series>        a series that waits for its next run
//	punctual.<pool>.run.<task>.…                 the same, due soon, or running
//	punctual.<pool>.hint.…                       "this run is cancelled", to whom it may concern
//	punctual.<pool>.dead.<task>.<client>.<id>    a task of the failed set
//	punctual.<pool>.dead.<task>.s.<series>.<n>   of a run of a series
//
// A run is on one subject of its own, so "the newest message of my subject" is a question that the
// server can answer in the entry that stores the next.
type subjects struct{ prefix string }

func subjectsOf(pool string) subjects { return subjects{"punctual." + token(pool) + "."} }

// place is where one task or series waits, and where it runs.
type place struct{ tail string }

func taskPlace(task, id string) place     { return place{token(task) + ".o." + id} }
func seriesPlace(task, name string) place { return place{token(task) + ".s." + token(name)} }

func (p place) series() bool {
	_, rest, _ := strings.Cut(p.tail, ".")
	return strings.HasPrefix(rest, "s.")
}

func (s subjects) arm(p place) string       { return s.prefix + "arm." + p.tail }
func (s subjects) run(p place) string       { return s.prefix + "run." + p.tail }
func (s subjects) any(p place) string       { return s.prefix + "*." + p.tail } // arm or run
func (s subjects) hint(p place) string      { return s.prefix + "hint." + p.tail }
func (s subjects) hints(task string) string { return s.prefix + "hint." + token(task) + ".>" }
func (s subjects) runs(task string) string  { return s.prefix + "run." + token(task) + ".>" }

// armedSeries are the schedules of a task's series.
func (s subjects) armedSeries(task string) string { return s.prefix + "arm." + token(task) + ".s.>" }

// kept is what waits of a task, or is due or runs, of all tasks for none: single is whether tasks
// that run once are meant, or series.
func (s subjects) kept(how, task string, single bool) string {
	if task = token(task); task == "" {
		task = "*"
	}
	if single {
		return s.prefix + how + "." + task + ".o.>"
	}
	return s.prefix + how + "." + task + ".s.>"
}

// armed tells whether a subject is that of a schedule.
func (s subjects) armed(subject string) bool { return strings.HasPrefix(subject, s.prefix+"arm.") }

func (s subjects) armedOf(task string) string { return s.prefix + "arm." + token(task) + ".>" }

func (s subjects) allArmed() string { return s.prefix + "arm.>" }
func (s subjects) allRuns() string  { return s.prefix + "run.>" }
func (s subjects) allDead() string  { return s.prefix + "dead.>" }

func (s subjects) dead(task, id string) string { return s.prefix + "dead." + token(task) + "." + id }

// placeOf is the place of a run's subject.
func (s subjects) placeOf(subject string) place {
	return place{strings.TrimPrefix(subject, s.prefix+"run.")}
}

// placeOfAny is the place of a run's subject, of a schedule's or of a hint's.
func (s subjects) placeOfAny(subject string) place {
	_, tail, _ := strings.Cut(strings.TrimPrefix(subject, s.prefix), ".")
	return place{tail}
}

// run names a run of a series in the failed set.
func (p place) run(number uint64) string {
	_, rest, _ := strings.Cut(p.tail, ".")
	return rest + "." + strconv.FormatUint(number, 10)
}

// task is the token of the name of the task or of the series' task.
func (p place) task() string {
	task, _, _ := strings.Cut(p.tail, ".")
	return task
}

// id is the part of a task's place that its future has as its ID.
func (p place) id() string {
	_, rest, _ := strings.Cut(p.tail, ".")
	return strings.TrimPrefix(rest, "o.")
}

// token writes a name as one token of a subject: what has a meaning there, or cannot stand there,
// is escaped, so that two names never share a token.
func token(name string) string {
	var b strings.Builder
	for i := range len(name) {
		if c := name[i]; plain(c) {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "=%02X", c)
		}
	}
	return b.String()
}

// series is the name of the series of a place, and empty for that of a task that runs once.
func (p place) seriesName() string {
	if !p.series() {
		return ""
	}
	_, rest, _ := strings.Cut(p.tail, ".")
	return nameOf(strings.TrimPrefix(rest, "s."))
}

// matches tells whether a subject is one of those that a pattern stands for.
func matches(pattern, subject string) bool {
	for pattern != "" {
		var want, is string
		want, pattern, _ = strings.Cut(pattern, ".")
		if want == ">" {
			return subject != ""
		}
		is, subject, _ = strings.Cut(subject, ".")
		if is == "" || want != "*" && want != is {
			return false
		}
	}
	return subject == ""
}

// nameOf is the name of a token.
func nameOf(token string) string {
	name, err := url.PathUnescape(strings.ReplaceAll(token, "=", "%"))
	if err != nil {
		return token // not one of ours
	}
	return name
}

// longestName is how long the token of a task's or series' name may be: the name of a consumer is
// one.
const longestName = 200

func plain(c byte) bool {
	return c == '-' || c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' ||
		'A' <= c && c <= 'Z'
}

func plainName(s string) bool {
	for i := range len(s) {
		if !plain(s[i]) {
			return false
		}
	}
	return true
}

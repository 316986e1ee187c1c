package pairs

import (
	"regexp"
	"slices"
)

// knownFaults are faults that are being mended. They are not counted; the list is to become empty.
var knownFaults = []struct {
	what string
	text *regexp.Regexp // of the fault; nil stands for any
	in   func(p *program) bool
}{
	{"a bound, and who comes at the end of a pool",
		regexp.MustCompile("tasks wait, of at most"),
		anyProgram},
	{"Until, and runs that jitter or a catch-up moves", regexp.MustCompile("is planned for"),
		anyProgram},
	{"what has expired eats missed periods", regexp.MustCompile("has missed"),
		func(p *program) bool {
			return slices.ContainsFunc(p.tasks,
				func(t *task) bool { return t.using(byName["BeginWithin"]) != nil })
		}},
}

func anyProgram(*program) bool { return true }

// Strict has the known faults counted too.
var Strict bool

// known reports whether a fault is one of the list.
func (p *program) known(text string) bool {
	if Strict {
		return false
	}
	for _, k := range knownFaults {
		if (k.text == nil || k.text.MatchString(text)) && k.in(p) {
			return true
		}
	}
	return false
}

// deadly reports whether a callback that misbehaves so still ends the process.
func (p *program) deadly(callback, behaviour *Feature) bool {
	return p.host == loop && callback.Name == "Record" && behaviour.Name == "callback calls Goexit"
}

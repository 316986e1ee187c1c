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
	{"callbacks that misbehave", nil, func(p *program) bool { return len(p.lapses) > 0 }},
	{"Apply tells no observer and no recording", regexp.MustCompile(
		"^(accepted, and|runs, and) |no run comes before"), hasWay(wApply)},
	{"a refusal of what ran, or did not", regexp.MustCompile("^accepted, and "), func(p *program) bool {
		return p.has("CallerRuns") || p.has("PendingLimit") || p.has("BoundedFIFO") || p.has("Queue.Bounded") || p.has("HandOff")
	}},
	{"a retry does not count as waiting", regexp.MustCompile("tasks wait, of at most"), anyProgram},
	{"figures that disagree", regexp.MustCompile(
		"^(failures, and those measured|timed out, and told so|runs, and recorded|cancelled, and told|returned, and told|accepted, and recorded|runs, and told)"), anyProgram},
	{"what has expired eats missed periods", regexp.MustCompile("has missed"), func(p *program) bool {
		return slices.ContainsFunc(p.tasks, func(t *task) bool { return t.using(byName["BeginWithin"]) != nil })
	}},
}

func anyProgram(*program) bool { return true }

func hasWay(w ways) func(p *program) bool {
	return func(p *program) bool {
		for _, t := range p.tasks {
			if t.way.way&w != 0 {
				return true
			}
		}
		return false
	}
}

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

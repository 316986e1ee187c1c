package inspect

import (
	"bytes"
	"math"
	"runtime/metrics"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"time"
)

// goroutine is one that works for a run, or several that stand at the same place.
type goroutine struct {
	Count int   `json:"count"`
	Own   bool  `json:"own"` // it is that of the run; others have been started by it
	Stack whole `json:"stack"`
}

// labels are those that goroutines carry which run a task, and those that it starts.
type labels struct{ pool, task string }

const (
	mostGoroutines = 20
	longestRecord  = 64 << 10
	// caller is the package that calls the bodies of tasks: what is below it is the pool's.
	caller = "github.com/punctual-go/punctual/internal/gate."
)

// goroutines returns those that carry the labels of a run, its own first. Without the name of a task
// there is nothing to tell them by. The runtime stops all goroutines for a moment, and looks at each
// while the others run; it tells no more of one than where it stands.
func goroutines(of labels) []goroutine {
	p := &picker{of: of, found: []goroutine{}}
	if profile := pprof.Lookup("goroutine"); of.task != "" && profile != nil {
		_ = profile.WriteTo(p, 1)
		p.record()
	}
	slices.SortStableFunc(p.found, func(a, b goroutine) int {
		switch {
		case a.Own == b.Own:
			return 0
		case a.Own:
			return -1
		}
		return 1
	})
	return p.found[:min(len(p.found), mostGoroutines)]
}

// picker is a writer that picks records of a text profile. Each ends with an empty line:
//
//	2 @ 0x47e4ce 0x45fc06
//	# labels: {"pool":"jobs", "task":"poll"}
//	#	0x4dd759	main.poll+0x19	/src/main.go:14
type picker struct {
	of    labels
	now   bytes.Buffer // the record in progress
	found []goroutine
}

// Write takes a part of the profile.
func (p *picker) Write(part []byte) (int, error) {
	for line := range bytes.Lines(part) {
		if whole := p.now.Len() == 0 || p.now.Bytes()[p.now.Len()-1] == '\n'; whole && line[0] == '\n' {
			p.record()
			continue
		}
		if p.now.Len() < longestRecord {
			p.now.Write(line)
		}
	}
	return len(part), nil
}

// record looks at a record, and forgets it.
func (p *picker) record() {
	text := p.now.String()
	p.now.Reset()
	if !strings.Contains(text, "\n# labels: ") || len(p.found) > 4*mostGoroutines {
		return
	}
	var g goroutine
	var stack strings.Builder
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		switch fields := strings.Fields(line); {
		case strings.HasPrefix(line, "# labels: "):
			if labelsIn(line) != p.of {
				return
			}
		case !strings.HasPrefix(line, "#"):
			if n, _, ok := strings.Cut(line, " @"); ok {
				g.Count, _ = strconv.Atoi(n[strings.LastIndex(n, "\n")+1:])
			}
		case len(fields) < 4 || g.Own:
		case strings.HasPrefix(fields[2], caller):
			g.Own = true
		default:
			function, _, _ := strings.Cut(fields[2], "+0x")
			stack.WriteString(function + "\n\t" + strings.Join(fields[3:], " ") + "\n")
		}
	}
	g.Stack = whole(stack.String())
	p.found = append(p.found, g)
}

// labelsIn reads the labels in a line: pairs of quoted texts.
func labelsIn(line string) (of labels) {
	_, rest, _ := strings.Cut(line, "{")
	for {
		key, err := strconv.QuotedPrefix(rest)
		if err != nil || len(rest) == len(key) {
			return of
		}
		value, err := strconv.QuotedPrefix(rest[len(key)+1:])
		if err != nil {
			return of
		}
		rest = strings.TrimPrefix(rest[len(key)+1+len(value):], ", ")
		is, _ := strconv.Unquote(value)
		switch key {
		case `"pool"`:
			of.pool = is
		case `"task"`:
			of.task = is
		}
	}
}

// stops returns how often all goroutines have been stopped for how long, but for collections.
func stops() *metrics.Float64Histogram {
	sample := []metrics.Sample{{Name: "/sched/pauses/total/other:seconds"}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindFloat64Histogram {
		return &metrics.Float64Histogram{}
	}
	return sample[0].Value.Float64Histogram()
}

// longestSince returns what no stop has reached since then: the bound of a bucket.
func longestSince(before *metrics.Float64Histogram) (below span) {
	after := stops()
	for i, n := range after.Counts {
		if before := before.Counts; i < len(before) && n > before[i] {
			bound := after.Buckets[i+1]
			if math.IsInf(bound, 1) {
				bound = after.Buckets[i]
			}
			below = span(bound * float64(time.Second))
		}
	}
	return below
}

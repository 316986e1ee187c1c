package alarm

import (
	"runtime/metrics"
	"time"
)

// load is what a waiter knows of the process it runs in: how many goroutines wait for a processor.
// That is the cause of all that goes wrong with the ways to wait, so it tells more than lateness,
// which is one of its effects, and has other causes. It belongs to the waiter.
//
//	quiet            the last look found nobody waiting
//	crowded          most of the last looks found somebody
//	neither          sometimes one, sometimes the other; or the runtime does not tell, before Go 1.26
type load struct {
	looked     int64 // when
	processors int32
	quiet      bool
	crowded    bool
	score      int // rises with each look that finds somebody, and falls with each that does not
	samples    []metrics.Sample
}

const (
	// lookEvery bounds the cost: a look takes about a tenth of a microsecond. It also bounds for
	// how long a blocked thread keeps a processor from a goroutine that waits for it.
	lookEvery = time.Millisecond

	// staleAfter is how long it counts that a process was crowded.
	staleAfter = time.Second

	// crowdedFrom is the score from which on a process is crowded, until the score is 0. In an idle
	// process two goroutines may be woken at once, and one of them waits for an instant. That must
	// not count.
	crowdedFrom = 8
)

func (l *load) wantsLook(now int64) bool { return now-l.looked >= int64(lookEvery) }

// age forgets what was seen too long ago.
func (l *load) age(now int64) {
	if l.crowded && now-l.looked > int64(staleAfter) {
		l.crowded, l.score = false, 0
	}
}

// look asks the runtime.
func (l *load) look(now int64) {
	if l.samples == nil {
		l.samples = []metrics.Sample{
			{Name: "/sched/goroutines/runnable:goroutines"},
			{Name: "/sched/gomaxprocs:threads"},
		}
	}
	metrics.Read(l.samples)
	processors, _ := count(l.samples[1])
	l.processors = int32(processors)
	if waiting, told := count(l.samples[0]); told {
		l.note(waiting > 0)
	}
	l.looked = now
}

// note takes in what a look has found.
func (l *load) note(somebody bool) {
	l.quiet = !somebody
	if somebody {
		l.score = min(l.score+1, crowdedFrom)
	} else {
		l.score = max(l.score-1, 0)
	}
	switch l.score {
	case crowdedFrom:
		l.crowded = true
	case 0:
		l.crowded = false
	}
}

// count returns the value of a sample, and whether this runtime has it.
func count(s metrics.Sample) (value uint64, told bool) {
	if s.Value.Kind() != metrics.KindUint64 {
		return 0, false
	}
	return s.Value.Uint64(), true
}

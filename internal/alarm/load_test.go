package alarm

import (
	"runtime"
	"runtime/metrics"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/punctual-go/punctual/internal/clock"
)

// The rule: quiet follows each look, crowded takes several of a kind.
func TestAProcessIsCrowdedAfterSeveralLooks(t *testing.T) {
	var l load
	l.note(false)
	if !l.quiet || l.crowded {
		t.Fatalf("after a look that finds nobody: %+v", l)
	}
	for range crowdedFrom - 1 {
		if l.note(true); l.quiet || l.crowded {
			t.Fatalf("a few looks that find somebody: %+v", l)
		}
	}
	if l.note(true); !l.crowded {
		t.Fatalf("many looks that find somebody: %+v", l)
	}
	for range crowdedFrom - 1 {
		if l.note(false); !l.crowded || !l.quiet {
			t.Fatalf("a few looks that find nobody: %+v", l)
		}
	}
	if l.note(false); l.crowded {
		t.Fatalf("many looks that find nobody: %+v", l)
	}
}

func TestAnInstantOfCompanyDoesNotCount(t *testing.T) {
	var l load
	for i := range 10_000 {
		if l.note(i%3 == 0); l.crowded {
			t.Fatalf("crowded at look %d, though two of three find nobody", i)
		}
	}
}

func TestThatAProcessWasCrowdedIsForgotten(t *testing.T) {
	l := load{looked: 1, crowded: true, score: crowdedFrom}
	if l.age(1 + int64(staleAfter)); !l.crowded {
		t.Error("forgotten too soon")
	}
	if l.age(2 + int64(staleAfter)); l.crowded || l.score != 0 {
		t.Errorf("not forgotten: %+v", l)
	}
}

// Go 1.25 does not say how many goroutines wait. To take that for nobody would block threads in a
// busy process.
func TestNothingIsConcludedFromARuntimeThatDoesNotTell(t *testing.T) {
	l := load{samples: []metrics.Sample{{Name: "/not/a:metric"}, {Name: "/sched/gomaxprocs:threads"}}}
	for range 2 * crowdedFrom {
		l.look(0)
	}
	if l.quiet || l.crowded {
		t.Errorf("quiet %t, crowded %t, want neither", l.quiet, l.crowded)
	}
	if got := int(l.processors); got != runtime.GOMAXPROCS(0) {
		t.Errorf("%d processors, want %d", got, runtime.GOMAXPROCS(0))
	}
}

func TestALookFindsThoseWhoWait(t *testing.T) {
	if strings.HasPrefix(runtime.Version(), "go1.25") {
		t.Skip("this runtime does not say how many goroutines wait")
	}
	var stop atomic.Bool
	var all sync.WaitGroup
	for range 4 * runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for !stop.Load() {
				runtime.Gosched()
			}
		})
	}
	defer all.Wait()
	defer stop.Store(true)
	var l load
	for !l.crowded { // it hangs if the runtime does not tell
		runtime.Gosched()
		l.look(0)
	}
	if got := int(l.processors); got != runtime.GOMAXPROCS(0) {
		t.Errorf("%d processors, want %d", got, runtime.GOMAXPROCS(0))
	}
}

func TestTheWayFollowsTheLoadAndTheWait(t *testing.T) {
	const short, long = shortWait, shortWait + 1
	for name, c := range map[string]struct {
		load load
		wait time.Duration
		want int32
	}{
		"nothing known":           {load{processors: 8}, short, poller},
		"quiet":                   {load{processors: 8, quiet: true}, short, thread},
		"quiet, a long wait":      {load{processors: 8, quiet: true}, long, poller},
		"quiet, one processor":    {load{processors: 1, quiet: true}, short, poller},
		"crowded":                 {load{processors: 8, crowded: true}, short, timer},
		"crowded, quiet just now": {load{processors: 8, crowded: true, quiet: true}, short, timer},
		"crowded, a long wait":    {load{processors: 8, crowded: true}, timerWait + 1, poller},
	} {
		a := New(clock.New(1))
		a.load = c.load
		if got := a.choose(c.wait); got != c.want {
			t.Errorf("%s: way %d, want %d", name, got, c.want)
		}
		a.Close()
	}
}

// However many alarms there are, only so many block a thread.
func TestFewAlarmsBlockAThread(t *testing.T) {
	const processors = 6
	var alarms []*Alarm
	threads := func() (n int) {
		for _, a := range alarms {
			a.load = load{processors: processors, quiet: true}
			if a.choose(time.Microsecond) == thread {
				n++
			}
		}
		return n
	}
	for range 100 {
		alarms = append(alarms, New(clock.New(1)))
	}
	if got := threads(); got != processors/2 {
		t.Errorf("%d block a thread, want %d", got, processors/2)
	}
	for _, a := range alarms {
		a.Close()
	}
	if got := blocked.Load(); got != 0 {
		t.Errorf("%d may block a thread after all are closed", got)
	}
	a := New(clock.New(1))
	defer a.Close()
	for range 10 { // each wait gives the right back and takes it again
		a.load = load{processors: 2, quiet: true}
		a.in(time.Microsecond)
		if a.way.Load() != thread && a.have(thread) {
			t.Fatal("the right to block a thread has been lost")
		}
		a.Wait(nil)
		if got := blocked.Load(); got != 0 {
			t.Fatalf("%d may block a thread after the wait", got)
		}
	}
}

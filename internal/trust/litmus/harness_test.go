package litmus_test

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/punctual-go/punctual/internal/delay"
	"github.com/punctual-go/punctual/internal/trust/litmus"
)

func nothing(int) {}

const batch = 16

// broken is a pair of two increments that are not atomic.
func broken() litmus.Pair {
	var counts [batch]atomic.Int32
	increment := func(round int) {
		n := counts[round].Load()
		runtime.Gosched()
		counts[round].Store(n + 1)
	}
	return litmus.Simple{
		Acts: [2]func(int){increment, increment},
		Outcome: func(round int) string {
			if counts[round].Swap(0) == 2 {
				return "both count"
			}
			return "one is lost"
		},
	}.Pair(batch, litmus.Outcome{Name: "both count"},
		litmus.Outcome{Name: "one is lost", Grade: litmus.Forbidden})
}

// always is a pair of which every round has the same outcome.
func always(name string, outcomes ...litmus.Outcome) litmus.Pair {
	return litmus.Simple{
		Acts:    [2]func(int){nothing, nothing},
		Outcome: func(int) string { return name },
	}.Pair(batch, outcomes...)
}

func TestAForbiddenOutcomeIsAFault(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	r := broken().Race(2000, 1, nil)
	require.NotEmpty(t, r.Faults)
	assert.Equal(t, "simple: one is lost: what was seen", r.Faults[0])
	assert.LessOrEqual(t, len(r.Faults), 10)
	assert.Equal(t, 2000, r.Seen["one is lost"]+r.Seen["both count"])
}

func TestAnOutcomeThatIsNotListedIsAFault(t *testing.T) {
	r := always("strange", litmus.Outcome{Name: "usual"}).Race(3, 1, nil)
	assert.Equal(t, slices.Repeat([]string{"simple: strange: what was seen"}, 3), r.Faults)
}

func TestTenFaultsAreKeptAndAllAreCounted(t *testing.T) {
	r := always("strange").Race(100, 1, nil)
	assert.Len(t, r.Faults, 10)
	assert.Equal(t, map[string]int{"strange": 100}, r.Seen)
}

func TestAccountsThatDoNotComeOutAreAFault(t *testing.T) {
	batches := 0
	r := litmus.Simple{
		Acts:    [2]func(int){nothing, nothing},
		Outcome: func(int) string { return "usual" },
		Finish: func() error {
			if batches++; batches == 2 {
				return errors.New("one too many")
			}
			return nil
		},
	}.Pair(batch, litmus.Outcome{Name: "usual"}).Race(3*batch, 1, nil)
	assert.Equal(t, []string{"simple: accounts: one too many"}, r.Faults)
}

func TestAnAcceptableOutcomeThatDoesNotShowIsUnseen(t *testing.T) {
	p := always("usual", litmus.Outcome{Name: "usual"}, litmus.Outcome{Name: "hoped for"},
		litmus.Outcome{Name: "rare", Grade: litmus.Interesting}, litmus.Outcome{Name: "bug",
			Grade: litmus.Forbidden})
	r := p.Race(100, 1, nil)
	assert.Empty(t, r.Faults)
	assert.Equal(t, []string{"hoped for"}, r.Unseen(p))
}

func TestAnInterestingOutcomeIsNoFault(t *testing.T) {
	p := always("rare", litmus.Outcome{Name: "rare", Grade: litmus.Interesting})
	assert.Empty(t, p.Race(100, 1, nil).Faults)
}

func TestEveryRoundIsDoneOnceByEachActor(t *testing.T) {
	const rounds = 5*batch + 3
	var done [2][batch]atomic.Int32
	total := 0
	p := litmus.Simple{
		Acts: [2]func(int){
			func(round int) { done[0][round].Add(1) },
			func(round int) { done[1][round].Add(1) },
		},
		Outcome: func(round int) string {
			if total++; done[0][round].Swap(0) == 1 && done[1][round].Swap(0) == 1 {
				return "once"
			}
			return "not once"
		},
	}.Pair(batch, litmus.Outcome{Name: "once"})
	var progress []int
	r := p.Race(rounds, 1, func(done int) { progress = append(progress, done) })
	assert.Empty(t, r.Faults)
	assert.Equal(t, rounds, total)
	assert.Equal(t, rounds, r.Rounds)
	assert.Equal(t, []int{16, 32, 48, 64, 80, 83}, progress)
}

func hang(int) { select {} }

// The watchdog ends the process, so it gets one of its own. There it is in a bubble, where its
// patience can't end before the round has begun, however busy the machine is.
func TestARoundThatDoesNotEndIsToldWithAllStacks(t *testing.T) {
	const variable = "PUNCTUAL_LITMUS_HANGS"
	if os.Getenv(variable) != "" {
		synctest.Test(t, func(*testing.T) {
			litmus.Simple{
				Acts:    [2]func(int){nothing, hang},
				Outcome: func(int) string { return "never" },
			}.Pair(batch).RaceFor(1, 4711, time.Millisecond)
		})
		return
	}
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), self, "-test.run=^"+t.Name()+"$", "-test.timeout=60s")
	cmd.Env = append(os.Environ(), variable+"=1")
	out, err := cmd.CombinedOutput()
	require.Error(t, err)
	assert.Contains(t, string(out), "panic: litmus: a round of simple does not end, seed 4711")
	assert.Contains(t, string(out), "litmus_test.hang(", "the stack of who does not go on")
}

func TestEveryPairHasOutcomesToSeeAndOutcomesToFear(t *testing.T) {
	names := map[string]bool{}
	for _, p := range litmus.Pairs() {
		assert.False(t, names[p.Name], "%s is there twice", p.Name)
		names[p.Name] = true
		byGrade, outcomes := map[litmus.Grade]int{}, map[string]bool{}
		for _, o := range p.Outcomes {
			byGrade[o.Grade]++
			outcomes[o.Name] = true
		}
		assert.Len(t, outcomes, len(p.Outcomes), p.Name)
		assert.GreaterOrEqual(t, byGrade[litmus.Acceptable], 2, p.Name)
		assert.NotZero(t, byGrade[litmus.Forbidden], p.Name)
	}
	for _, name := range []string{
		"complete|Get", "complete|timed Get", "cancel|run", "cancel|complete",
		"submit|close", "submit|keep-alive exit",
		"offer-earlier|leader park", "offer|cancelled taker", "take|close", "resize|take",
		"periodic re-enqueue|close", "reset|fire",
		"context|end of run", "wait's end|help's", "resize|wait", "cancel|help",
		"trigger|run end", "pause|due", "reset|take",
	} {
		assert.True(t, names[name], name)
	}
}

// elsewhere are the delay points that no pair passes, as none has what lies there.
var elsewhere = []delay.Point{
	delay.SubmitterGivesUp,                   // a submitter who waits for room
	delay.ExtraRunLeaves,                     // a task run by its submitter
	delay.LoopSleepsLocked, delay.LoopPushed, // an event loop
	delay.SeriesRan,    // a series on a timer
	delay.TimerTaken,   // the classic timer
	delay.PieceDrained, // a drain of very many
}

// With others let in at every delay point all pairs hold as well, and together they pass all points
// there are for them: a window that nobody goes through is not tested.
func TestLitmus_EveryDelayPointIsPassedAndHarmless(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	var passed [delay.Points]atomic.Int64
	defer delay.Set(func(p delay.Point) {
		if passed[p].Add(1)%3 != 0 {
			runtime.Gosched()
		}
	})()
	missing := func() (points []delay.Point) {
		for p := range delay.Points {
			if passed[p].Load() == 0 && !slices.Contains(elsewhere, p) {
				points = append(points, p)
			}
		}
		return points
	}
	seed := uint64(time.Now().UnixNano())
	for tries := range uint64(20) { // one is enough nearly always
		for _, p := range litmus.Pairs() {
			assert.Empty(t, p.Race(400, seed+tries, nil).Faults, "seed %d", seed+tries)
		}
		if len(missing()) == 0 {
			return
		}
	}
	assert.Empty(t, missing(), "points that nobody has passed")
}

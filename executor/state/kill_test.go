package state_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/state"
)

// kills returns how often processes are to be killed.
func kills(t *testing.T, usually int) int {
	text := os.Getenv("PUNCTUAL_TEST_KILLS")
	if text == "" {
		return usually
	}
	n, err := strconv.Atoi(text)
	require.NoError(t, err)
	return n
}

// ledger is what the world has seen of the runs of one series, over all lives of its process.
type ledger struct {
	next     func(time.Time) time.Time
	before   bool // runs are recorded before they begin
	mu       sync.Mutex
	last     time.Time // the slot of the last run that has begun
	ended    bool      // and it has ended
	kills    int       // since then, each of which may cost one
	repeated int
	lost     int
	runs     int
	faults   []string
}

// start is called when the process starts.
func (l *ledger) start() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.kills++
}

// knows is called when the series has been accepted, which goes on after the given slot. From the
// first time on, nothing may be lost.
func (l *ledger) knows(slot time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.last.IsZero() {
		l.last, l.ended = slot, true
	}
}

// begin is called when a run begins.
func (l *ledger) begin(slot time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.runs++
	if l.last.IsZero() { // of a series that had been recorded, but not accepted
		l.last, l.ended, l.kills = slot, false, 0
		return
	}
	skipped := 0
	follows := l.next(l.last)
	for l.before && follows.Before(slot) && skipped < l.kills { // each was recorded, and did not begin
		skipped++
		follows = l.next(follows)
	}
	switch {
	case slot.Equal(follows) && (l.ended || l.before):
		l.lost += skipped
	case !l.before && slot.Equal(l.last) && l.kills > 0: // it had not been recorded
		l.repeated++
	default:
		l.fault("%v follows %v, which ended: %v, after %d kills", slot, l.last, l.ended, l.kills)
	}
	if l.before && !l.ended {
		l.lost++ // the one under way
		skipped++
	}
	if skipped > max(l.kills, 0) {
		l.fault("%d are lost before %v by %d kills", skipped, slot, l.kills)
	}
	l.last, l.ended, l.kills = slot, false, 0
}

func (l *ledger) fault(format string, args ...any) {
	l.faults = append(l.faults, fmt.Sprintf(format, args...))
}

func (l *ledger) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = true
}

// world is a machine whose process is killed again and again.
type world struct {
	machine *machine
	random  *rand.Rand
	before  bool
	every   map[string]time.Duration
	ledgers map[string]*ledger
}

func newWorld(seed uint64, before, lies bool) *world {
	random := rand.New(rand.NewPCG(seed, 1))
	w := &world{
		machine: newMachine(rand.New(rand.NewPCG(seed, 2))), random: random, before: before,
		ledgers: map[string]*ledger{},
		every:   map[string]time.Duration{"a": time.Second, "b": 1300 * time.Millisecond, "c": 0},
	}
	w.machine.lies = lies
	for name, every := range w.every {
		l := &ledger{before: before}
		l.next = func(t time.Time) time.Time { return t.Add(every) }
		if every == 0 {
			l.next = seconds{}.Next
		}
		w.ledgers[name] = l
	}
	return w
}

// seconds is a calendar of all full seconds.
type seconds struct{}

func (seconds) Next(t time.Time) time.Time { return t.Truncate(time.Second).Add(time.Second) }

// life is one life of the process, which ends by a kill, between two steps of the disk or at any
// time.
func (w *world) life(t *testing.T) error {
	m := w.machine
	m.restart(w.random.IntN(2) == 0)
	var logged bytes.Buffer
	book, err := state.OpenOn(m, "/runs", state.Config{
		BeforeRun: w.before, Logger: slog.New(slog.NewTextHandler(&logged, nil)),
	})
	if logged.Len() > 0 { // no crash damages the file
		w.ledgers["a"].fault("%s", logged.String())
	}
	if err != nil {
		return err
	}
	if w.random.IntN(2) == 0 {
		m.steps = w.random.IntN(60)
	}
	p := executor.NewScheduledPool(1+w.random.IntN(3), executor.Logger(slog.New(slog.DiscardHandler)))
	for _, name := range []string{"a", "b", "c"} {
		w.ledgers[name].start()
		opts := []executor.TaskOption{executor.Name(name), executor.CatchUp(executor.Burst),
			book.SinceLast(time.Hour)}
		if every := w.every[name]; every > 0 {
			_, err = p.AtFixedRate(every, every, w.body(name, w.random.Uint64()), opts...)
		} else {
			_, err = p.On(seconds{}, w.body(name, w.random.Uint64()), opts...)
		}
		if m.stopped() {
			continue
		}
		require.NoError(t, err)
		r, err := book.Last(t.Context(), name)
		require.NoError(t, err)
		w.ledgers[name].knows(r.Slot)
	}
	time.Sleep(time.Duration(w.random.IntN(5000)) * time.Millisecond)
	m.stop()
	p.ShutdownNow()
	require.NoError(t, p.AwaitTermination(context.Background()))
	time.Sleep(time.Duration(w.random.IntN(10_000)) * time.Millisecond)
	return nil
}

// body is what a series runs. What it does after the machine has stopped has not happened.
func (w *world) body(name string, seed uint64) executor.Task {
	random, l := rand.New(rand.NewPCG(seed, 3)), w.ledgers[name]
	return func(ctx context.Context) error {
		if w.machine.stopped() {
			return errDead
		}
		r, _ := executor.RunFrom(ctx)
		l.begin(r.Scheduled.Round(0))
		if random.IntN(3) == 0 {
			time.Sleep(time.Duration(random.IntN(700)) * time.Millisecond)
		}
		if w.machine.stopped() {
			return errDead
		}
		l.end()
		return nil
	}
}

// faults returns what has gone wrong.
func (w *world) faults() (faults []string) {
	for name, l := range w.ledgers {
		for _, text := range l.faults {
			faults = append(faults, name+": "+text)
		}
	}
	return faults
}

// A process is killed at any moment, or loses its power, between any two steps of the disk.
// Recorded before, no run is repeated, and at most the one under way is lost; recorded after, none
// is lost, and at most the one under way is repeated.
func TestKilledInVirtualTime(t *testing.T) {
	for _, before := range []bool{false, true} {
		t.Run(fmt.Sprint("before=", before), func(t *testing.T) {
			runs, repeated, lost := 0, 0, 0
			const lives = 20
			for seed := range uint64((kills(t, 300) + lives - 1) / lives) {
				synctest.Test(t, func(t *testing.T) {
					w := newWorld(seed, before, false)
					for range lives {
						require.NoError(t, w.life(t))
					}
					require.Empty(t, w.faults(), "seed %d", seed)
					for _, l := range w.ledgers {
						runs, repeated, lost = runs+l.runs, repeated+l.repeated, lost+l.lost
					}
				})
			}
			t.Logf("%d runs, %d repeated, %d lost", runs, repeated, lost)
			if before {
				require.Zero(t, repeated)
				require.NotZero(t, lost, "no kill came during a run")
			} else {
				require.Zero(t, lost)
				require.NotZero(t, repeated, "no kill came during a run")
			}
		})
	}
}

// On a disk that says that it has synced, and has not, all that is found: the test above can fail.
func TestADiskThatLiesIsFound(t *testing.T) {
	found := 0
	for seed := range uint64(20) {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(seed, seed%2 == 0, true)
			for range 20 {
				if w.life(t) != nil {
					found++
					return
				}
			}
			found += len(w.faults())
		})
	}
	require.NotZero(t, found)
}

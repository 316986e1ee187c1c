//go:build linux || darwin || freebsd

package faults_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
)

// The tests of this file stop a process of their own and let it go on, and ask it afterwards. How
// long that takes is the machine's affair; what they demand holds whatever it takes.

const (
	flPeriod = 10 * time.Millisecond
	flTimers = 200 // one every other millisecond
)

// flStopped stops the process of child until it has stood still for d.
func flStopped(t *testing.T, child *exec.Cmd, d time.Duration) {
	pid := child.Process.Pid
	require.NoError(t, syscall.Kill(pid, syscall.SIGSTOP))
	var status syscall.WaitStatus
	_, err := syscall.Wait4(pid, &status, syscall.WUNTRACED, nil)
	require.NoError(t, err)
	require.True(t, status.Stopped(), "the child has ended")
	time.Sleep(d)
	require.NoError(t, syscall.Kill(pid, syscall.SIGCONT))
}

// flWithChild runs the calling test in a child as well: there it works until its input is closed,
// and then looks whether any series has missed so many periods at once.
func flWithChild(t *testing.T, missed uint64, disturb func(child *exec.Cmd)) {
	inChild, child := flChild(t)
	if inChild {
		flWork(t, missed)
		return
	}
	in, err := child.StdinPipe()
	require.NoError(t, err)
	out, err := child.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	lines := bufio.NewReader(out)
	_, err = lines.ReadString('\n') // it works
	require.NoError(t, err)
	disturb(child)
	require.NoError(t, in.Close())
	rest, err := io.ReadAll(lines)
	require.NoError(t, err)
	require.NoError(t, child.Wait(), "%s", rest)
}

// flRuns are those of a series, as they were told.
type flRuns struct {
	mu   sync.Mutex
	runs []executor.Run
}

func (r *flRuns) run(ctx context.Context) error {
	run, _ := executor.RunFrom(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.runs = append(r.runs, run)
	return nil
}

// flWork runs a series of each policy and many timers.
func flWork(t *testing.T, atLeast uint64) {
	p := pooltest.NewScheduledPool(t, 2)
	series := map[executor.CatchUpPolicy]*flRuns{executor.Burst: {}, executor.Coalesce: {}, executor.Skip: {}}
	for policy, r := range series {
		_, err := p.AtFixedRate(0, flPeriod, r.run, executor.CatchUp(policy))
		require.NoError(t, err)
	}
	timers := make([]time.Duration, flTimers)
	futures := make([]*executor.ScheduledFuture[struct{}], flTimers)
	for i := range timers {
		began := time.Now()
		var err error
		futures[i], err = p.Schedule(time.Duration(2*i)*time.Millisecond, func(context.Context) error {
			timers[i] = time.Since(began)
			return nil
		})
		require.NoError(t, err)
	}
	fmt.Println("at work")
	_, _ = io.Copy(io.Discard, os.Stdin)
	for i, f := range futures {
		_, err := f.Get(t.Context()) // late, but not lost
		require.NoError(t, err)
		assert.GreaterOrEqual(t, timers[i], time.Duration(2*i)*time.Millisecond)
	}
	require.NoError(t, p.Close())
	for policy, r := range series {
		flOnTheGrid(t, policy, r.runs, atLeast)
	}
}

// flOnTheGrid demands that every period of a series has either had its run, or is told as missed.
func flOnTheGrid(t *testing.T, policy executor.CatchUpPolicy, runs []executor.Run, atLeast uint64) {
	var missed, most uint64
	var first time.Time
	for i, run := range runs {
		most = max(most, run.Missed)
		if policy != executor.Burst { // under which no period goes without a run
			missed += run.Missed
			require.Less(t, run.Started.Sub(run.Scheduled), flPeriod, "it counts for the latest period")
		}
		slots := time.Duration(uint64(i)+missed) * flPeriod
		if i == 0 {
			first = run.Scheduled.Add(-slots)
		}
		require.Equal(t, slots, run.Scheduled.Sub(first), "policy %d, run %d", policy, i)
		require.EqualValues(t, i+1, run.Number)
		require.False(t, run.Started.Before(run.Scheduled), "early")
	}
	assert.GreaterOrEqual(t, most, atLeast, "policy %d", policy)
}

func TestF2_AProcessThatWasStoppedGoesOnAsThePoliciesSay(t *testing.T) {
	const stop = 300 * time.Millisecond
	flWithChild(t, uint64(stop/flPeriod)-2, func(child *exec.Cmd) { flStopped(t, child, stop) })
}

// A quota of processor time stops a process for most of each period of it. This is the same without
// the right to set one.
func TestG7_WithATenthOfTheProcessorTimersAreLateAndNeverLost(t *testing.T) {
	const period = 50 * time.Millisecond
	flWithChild(t, 2, func(child *exec.Cmd) {
		for range 5 {
			flStopped(t, child, period*9/10)
			time.Sleep(period / 10)
		}
	})
}

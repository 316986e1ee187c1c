package control_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
)

// steered is a series in one of the states of the table in docs/guide.md.
type steered = *executor.ScheduledFuture[struct{}]

// inStates bring a series with period 10 and initial delay 10 into a state. What a run does is told
// by the options and the body: its first run takes 3, or its first attempt fails and the next comes
// 4 later.
var inStates = map[string]struct {
	takes  time.Duration
	fails  bool
	arrive func(f steered)
}{
	"waiting": {arrive: func(steered) { time.Sleep(5 * time.Second) }},
	"in a run": {takes: 3 * time.Second, arrive: func(steered) {
		time.Sleep(11 * time.Second)
	}},
	"paused": {arrive: func(f steered) {
		time.Sleep(5 * time.Second)
		f.Pause()
		time.Sleep(20 * time.Second)
	}},
	"between attempts": {fails: true, arrive: func(steered) { time.Sleep(11 * time.Second) }},
}

// TestACommandDoesInEachStateWhatTheGuideSays has a row for each cell: what the command returns,
// and the starts up to 50; extra runs have a "+", and runs that have missed some, their number.
func TestACommandDoesInEachStateWhatTheGuideSays(t *testing.T) {
	for _, row := range []struct {
		name                            string
		command                         func(f steered) bool
		waiting, inRun, paused, between string
	}{
		{
			"Pause", steered.Pause,
			"true:", "true: 10", "false:", "true: 10 14",
		},
		{
			"Resume", steered.Resume,
			"false: 10 20 30 40", "false: 10 20 30 40", "true: 30(2) 40", "false: 10 14 20 30 40",
		},
		{
			"Trigger", steered.Trigger,
			"true: 5+ 10 20 30 40", "true: 10 13+ 20 30 40", "true: 25+", "true: 10 14 14+ 20 30 40",
		},
		{
			"Reset", func(f steered) bool { return f.Reset(time.Second) },
			"true: 6 16 26 36 46", "true: 10 13 23 33 43", "true:", "true: 10 14 14 24 34 44",
		},
		{
			"SetPeriod", func(f steered) bool { return f.SetPeriod(15*time.Second) == nil },
			"true: 10 25 40", "true: 10 25 40", "true:", "true: 10 14 25 40",
		},
		{
			"Cancel", func(f steered) bool { return f.Cancel() },
			"true:", "true: 10!", "true:", "true: 10",
		},
		{
			"Stop", func(f steered) bool { return f.Stop() },
			"true:", "true: 10", "true:", "true: 10",
		},
		{
			"Withdraw", func(f steered) bool { return f.Withdraw() },
			"true:", "false: 10 20 30 40", "true:", "false: 10 14 20 30 40",
		},
	} {
		for state, want := range map[string]string{
			"waiting": row.waiting, "in a run": row.inRun, "paused": row.paused,
			"between attempts": row.between,
		} {
			t.Run(row.name+" "+state, func(t *testing.T) {
				onEach(t, func(t *testing.T, s scheduler) {
					assert.Equal(t, want, commandedIn(t, s, state, row.command))
				})
			})
		}
	}
}

// commandedIn gives a command to a series in this state, and returns what came of it.
func commandedIn(t *testing.T, s scheduler, state string, command func(steered) bool) string {
	in := inStates[state]
	began := time.Now()
	var starts strings.Builder
	var opts []executor.TaskOption
	if in.fails {
		opts = append(opts, executor.Retry(2, every(4*time.Second)))
	}
	f, err := s.AtFixedRate(10*time.Second, 10*time.Second, func(ctx context.Context) error {
		r, _ := executor.RunFrom(ctx)
		fmt.Fprintf(&starts, " %v", time.Since(began).Seconds())
		if r.Triggered {
			starts.WriteString("+")
		}
		if r.Missed > 0 {
			fmt.Fprintf(&starts, "(%d)", r.Missed)
		}
		if r.Number > 1 {
			return nil
		}
		if time.Sleep(in.takes); ctx.Err() != nil {
			starts.WriteString("!")
		}
		if in.fails && r.Attempt == 1 {
			return errBoom
		}
		return nil
	}, opts...)
	require.NoError(t, err)
	in.arrive(f)
	synctest.Wait()
	took := command(f)
	time.Sleep(time.Until(began.Add(49 * time.Second)))
	f.Cancel()
	synctest.Wait()
	return fmt.Sprintf("%v:%s", took, starts.String())
}

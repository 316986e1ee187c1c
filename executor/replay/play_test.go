package replay_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/executor/insight"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/replay"
	"github.com/punctual-go/punctual/executor/retry"
	"github.com/punctual-go/punctual/timer/cron"
)

var errBad = errors.New("bad")

const ms = time.Millisecond

func lasts(d time.Duration) executor.Task {
	return func(context.Context) error { time.Sleep(d); return nil }
}

// told returns what a recording says of runs, task by task, in a form to compare.
func told(r *replay.Recording) (lines []string) {
	for i, t := range r.Tasks {
		for _, run := range t.Runs {
			lines = append(lines, fmt.Sprintf("%d %s#%d due %v began %v took %v %s", i, t.Name,
				run.Number, run.Due, run.Began, run.Took(), run.Outcome))
		}
	}
	return lines
}

// recorded plays with a pool of so many workers for an hour, and returns the recording.
func recorded(t *testing.T, workers int, play func(*executor.ScheduledPool),
	opts ...executor.Option) *replay.Recording {
	t.Helper()
	var out bytes.Buffer
	p := executor.NewScheduledPool(workers, append(opts,
		executor.Watch(insight.Config{Record: &out}), pooltest.Quiet())...)
	play(p)
	time.Sleep(time.Hour)
	require.NoError(t, p.Close())
	r, err := replay.Read(&out)
	require.NoError(t, err)
	assert.True(t, r.Complete)
	return r
}

// A run that makes up for others was planned when the first of them was, whatever time it has as
// its own: that is how late it is.
func TestARecordingTellsWhenARunWasPlannedBeforeItMadeUpForOthers(t *testing.T) {
	for policy, want := range map[executor.CatchUpPolicy][]time.Duration{
		executor.Coalesce: {0, 10 * ms, 40 * ms},
		executor.Skip:     {0, 10 * ms, 40 * ms},
		executor.Burst:    {0, 10 * ms, 20 * ms},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := recorded(t, 1, func(p *executor.ScheduledPool) {
				_, err := p.AtFixedRate(0, 10*ms, lasts(ms), executor.MaxRuns(3), executor.CatchUp(policy))
				require.NoError(t, err)
				require.NoError(t, p.Execute(lasts(34*ms))) // between the first run and the second
				time.Sleep(100 * ms)
			})
			var due []time.Duration
			for _, run := range r.Tasks[0].Runs {
				due = append(due, run.Due)
			}
			assert.Equal(t, want, due, policy)
		})
	}
}

func TestAReplayIsLikeTheRecording(t *testing.T) {
	var r *replay.Recording
	var began time.Time
	synctest.Test(t, func(t *testing.T) {
		began = time.Now()
		r = recorded(t, 2, func(p *executor.ScheduledPool) {
			require.NoError(t, p.Execute(lasts(3*ms)))
			_, err := p.Submit(lasts(4*ms), executor.Name("now"))
			require.NoError(t, err)
			time.Sleep(ms)
			_, err = p.Schedule(10*ms, func(context.Context) error { time.Sleep(7 * ms); return errBad },
				executor.Name("fails"))
			require.NoError(t, err)
			_, err = p.AtFixedRate(5*ms, 10*ms, lasts(12*ms), executor.Name("rate"),
				executor.CatchUp(executor.Skip), executor.MaxRuns(20))
			require.NoError(t, err)
			n := 0
			_, err = p.WithFixedDelay(5*ms, 10*ms, func(context.Context) error {
				if n++; n == 4 {
					panic("boom")
				}
				time.Sleep(time.Duration(n) * ms)
				return nil
			}, executor.Name("delay"), executor.FailurePolicy(executor.Continue), executor.MaxRuns(6))
			require.NoError(t, err)
			_, err = p.Schedule(50*ms, func(context.Context) error { runtime.Goexit(); return nil },
				executor.Name("exits"))
			require.NoError(t, err)
			_, err = p.Schedule(60*ms, lasts(30*ms), executor.Name("overruns"), executor.Timeout(10*ms))
			require.NoError(t, err)
			f, err := p.AtFixedRate(0, 21*ms, lasts(ms), executor.Name("cancelled"))
			require.NoError(t, err)
			time.Sleep(100*ms + 1)
			f.Cancel()
			f, err = p.AtFixedRate(0, time.Minute, lasts(ms), executor.Name("paused"))
			require.NoError(t, err)
			time.Sleep(10*time.Minute + 7)
			f.Pause()
			time.Sleep(10 * time.Minute)
			f.Resume()
		}, executor.Name("jobs"))
	})
	assert.Equal(t, "jobs", r.Name)
	assert.Equal(t, 2, r.Workers)
	assert.True(t, r.At.Equal(began))
	synctest.Test(t, func(t *testing.T) {
		again, err := r.Play(nil)
		require.NoError(t, err)
		assert.Equal(t, told(r), told(again))
	})
}

func TestSeriesThatWereMovedComeWhenTheyCame(t *testing.T) {
	var r *replay.Recording
	synctest.Test(t, func(t *testing.T) {
		r = recorded(t, 3, func(p *executor.ScheduledPool) {
			_, err := p.On(cron.MustParse("*/7 * * * *"), lasts(ms), executor.Name("cron"),
				executor.MaxRuns(3))
			require.NoError(t, err)
			f, err := p.AtFixedRate(0, time.Minute, lasts(ms), executor.Name("moved"), executor.MaxRuns(9))
			require.NoError(t, err)
			time.Sleep(90 * time.Second)
			f.Trigger()
			time.Sleep(30 * time.Second)
			f.Reset(17 * time.Second)
			time.Sleep(30 * time.Second)
			require.NoError(t, f.SetPeriod(2*time.Minute))
			_, err = p.WithFixedDelay(0, time.Minute, func(context.Context) error { return errBad },
				executor.Name("backs off"), executor.SlowDown(2, time.Hour), executor.MaxRuns(5))
			require.NoError(t, err)
			_, err = p.AtFixedRate(0, time.Minute, lasts(ms), executor.Name("jitter"),
				executor.Jitter(30*time.Second), executor.MaxRuns(9))
			require.NoError(t, err)
			n := 0
			_, err = p.Submit(func(context.Context) error {
				if n++; n < 4 {
					return errBad
				}
				return nil
			}, executor.Name("retried"), executor.Retry(5, retry.Backoff{Base: time.Second}))
			require.NoError(t, err)
		})
	})
	synctest.Test(t, func(t *testing.T) {
		again, err := r.Play(nil)
		require.NoError(t, err)
		times := func(r *replay.Recording) (lines []string) {
			for i, t := range r.Tasks {
				for _, run := range t.Runs {
					lines = append(lines, fmt.Sprintf("%d %s began %v %s", i, t.Name, run.Began, run.Outcome))
				}
			}
			return lines
		}
		assert.Equal(t, times(r), times(again))
	})
}

// TestAnIncident is what a recording is for: a hog that starves a poll, and what would have helped.
func TestAnIncident(t *testing.T) {
	night, err := replay.ReadFile("testdata/last-night.jsonl")
	require.NoError(t, err)
	for workers, late := range map[int]time.Duration{1: 8500 * ms, 2: 0} {
		synctest.Test(t, func(t *testing.T) {
			again, err := night.Play(func(record executor.Option) *executor.ScheduledPool {
				return executor.NewScheduledPool(workers, record)
			})
			require.NoError(t, err)
			assert.Equal(t, late, again.Latest("poll"), "with %d workers", workers)
		})
	}
}

func TestLastNight(t *testing.T) {
	night, err := replay.ReadFile("testdata/last-night.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		again, err := night.Play(func(record executor.Option) *executor.ScheduledPool {
			return executor.NewScheduledPool(2, record) // would two workers have helped?
		})
		if err != nil {
			t.Fatal(err)
		}
		if late := again.Latest("poll"); late > time.Second {
			t.Errorf("poll was %v late", late)
		}
	})
}

func TestRandomWorkIsReplayedEventByEvent(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		type job struct {
			at, in, every, take time.Duration
			kind, fail, runs    int
			cancel              time.Duration
		}
		// Distinct odd and even times, so that no two things happen at the same instant.
		prime := 0
		instant := func(label string) time.Duration {
			prime++
			return time.Duration(rapid.IntRange(0, 400).Draw(rt, label))*ms + time.Duration(prime)*7919
		}
		jobs := make([]job, rapid.IntRange(1, 12).Draw(rt, "jobs"))
		for i := range jobs {
			jobs[i] = job{at: instant("at"), in: instant("in"), every: instant("every") + ms,
				take: instant("take"), kind: rapid.IntRange(0, 2).Draw(rt, "kind"),
				fail: rapid.IntRange(0, 3).Draw(rt, "fail"), runs: rapid.IntRange(1, 5).Draw(rt, "runs"),
				cancel: instant("cancel") * time.Duration(rapid.IntRange(0, 1).Draw(rt, "cancels"))}
		}
		slices.SortFunc(jobs, func(a, b job) int { return int(a.at - b.at) })
		workers := rapid.IntRange(1, 3).Draw(rt, "workers")
		var r *replay.Recording
		synctest.Test(t, func(t *testing.T) {
			r = recorded(t, workers, func(p *executor.ScheduledPool) {
				begun := time.Now()
				for i, j := range jobs {
					time.Sleep(time.Until(begun.Add(j.at)))
					runs := 0
					body := func(context.Context) error {
						time.Sleep(j.take)
						if runs++; runs%4 == j.fail {
							return errBad
						}
						return nil
					}
					opts := []executor.TaskOption{executor.Name(fmt.Sprint(i)), executor.MaxRuns(j.runs),
						executor.CatchUp(executor.CatchUpPolicy(i % 4))}
					var f *executor.ScheduledFuture[struct{}]
					var err error
					switch j.kind {
					case 0:
						f, err = p.Schedule(j.in, body, opts...)
					case 1:
						f, err = p.AtFixedRate(j.in, j.every, body, opts...)
					case 2:
						f, err = p.WithFixedDelay(j.in, j.every, body, opts...)
					}
					require.NoError(t, err)
					if j.cancel > 0 {
						time.AfterFunc(j.cancel+1, func() { f.Cancel() }) // when nothing else happens
					}
				}
			})
		})
		var again *replay.Recording
		var err error
		synctest.Test(t, func(t *testing.T) { again, err = r.Play(nil) })
		if err != nil {
			rt.Fatal(err)
		}
		if want, got := told(r), told(again); !slices.Equal(want, got) {
			rt.Fatalf("recorded:\n%s\nreplayed:\n%s", strings.Join(want, "\n"), strings.Join(got, "\n"))
		}
	})
}

func TestALoopIsReplayedAsAPoolOfOneWorker(t *testing.T) {
	var out bytes.Buffer
	synctest.Test(t, func(t *testing.T) {
		l := eventloop.New(executor.Name("ui"), executor.Watch(insight.Config{Record: &out}))
		for i := range 3 {
			_, err := l.Schedule(time.Duration(i)*ms, lasts(10*ms), executor.Name(fmt.Sprint(i)))
			require.NoError(t, err)
		}
		time.Sleep(time.Second)
		require.NoError(t, l.Close())
	})
	r, err := replay.Read(&out)
	require.NoError(t, err)
	assert.Equal(t, 1, r.Workers)
	assert.True(t, r.Complete)
	synctest.Test(t, func(t *testing.T) {
		again, err := r.Play(nil)
		require.NoError(t, err)
		assert.Equal(t, told(r), told(again))
		assert.Equal(t, 18*ms, again.Latest("2"))
	})
}

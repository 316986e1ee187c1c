package observe_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/executor/insight"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/serial"
	"github.com/punctual-go/punctual/internal/wall/walltest"
)

// x is what an explanation of the task x begins with that expires after 10 ms.
const x = "x#1 late 10.000001ms: "

// submitted has a task named x expire 10 ms after now, or after a time to come.
func submitted(t *testing.T, s executor.Submitter) {
	t.Helper()
	_, err := executor.Submit(s, func(context.Context) (struct{}, error) { return struct{}{}, nil },
		executor.Name("x"), executor.BeginWithin(10*ms))
	require.NoError(t, err)
}

func scheduled(t *testing.T, p *executor.ScheduledPool, in time.Duration) {
	t.Helper()
	_, err := p.Schedule(in, lasts(0), executor.Name("x"), executor.BeginWithin(10*ms))
	require.NoError(t, err)
}

func TestWhyARunHasExpired(t *testing.T) {
	for name, test := range map[string]struct {
		wait func(t *testing.T, p *executor.ScheduledPool)
		want string
		opts []executor.Option
	}{
		"no worker was free": {
			wait: func(t *testing.T, p *executor.ScheduledPool) {
				at(p, 0, "a", 30*ms)
				at(p, ms, "b", 20*ms)
				scheduled(t, p, 2*ms)
			},
			want: x + "workers 10ms (a 12ms, b 11ms)",
		},
		"workers took what was due earlier": {
			wait: func(t *testing.T, p *executor.ScheduledPool) {
				at(p, 0, "a", 30*ms)
				at(p, 0, "b", 5*ms)
				at(p, ms, "c", 30*ms)
				scheduled(t, p, 2*ms)
			},
			want: x + "workers 3ms, queue 7ms (a 12ms, c 7ms, b 5ms)",
		},
		"the pool was paused": {
			wait: func(t *testing.T, p *executor.ScheduledPool) {
				at(p, 0, "a", 2*ms)
				at(p, 0, "b", 2*ms)
				scheduled(t, p, ms)
				time.Sleep(ms)
				p.Pause()
			},
			want: x + "held 10ms",
		},
		"its pace allowed no start": {
			wait: func(t *testing.T, p *executor.ScheduledPool) {
				at(p, 0, "a", 0)
				scheduled(t, p, 5*ms)
			},
			want: x + "held 10ms",
			opts: []executor.Option{executor.Pace(1, time.Minute)},
		},
		"the task before it went on": {
			wait: func(t *testing.T, p *executor.ScheduledPool) {
				s := serial.New(p)
				_, _ = s.Submit(lasts(time.Minute))
				submitted(t, s)
			},
			want: x + "previous run 10ms",
		},
		"a task before it waits itself": {
			wait: func(t *testing.T, p *executor.ScheduledPool) {
				s := serial.New(p)
				p.Pause()
				_, _ = s.Submit(lasts(0))
				submitted(t, s)
			},
			want: x + "previous run 10ms",
		},
		"the gap of its serial": {
			wait: func(t *testing.T, p *executor.ScheduledPool) {
				s := serial.New(p, serial.Gap(time.Minute))
				_, _ = s.Submit(lasts(0))
				submitted(t, s)
			},
			want: x + "previous run 10ms",
		},
		"the pace of its serial": {
			wait: func(t *testing.T, p *executor.ScheduledPool) {
				s := serial.New(p, executor.Pace(1, time.Minute))
				_, _ = s.Submit(lasts(0))
				submitted(t, s)
			},
			want: x + "previous run 10ms",
		},
		"its serial was busy, and then others were due earlier": {
			wait: func(t *testing.T, p *executor.ScheduledPool) {
				s := serial.New(p)
				_, _ = s.Submit(lasts(14 * ms))
				_, err := s.Schedule(10*ms, lasts(0), executor.Name("x"), executor.BeginWithin(10*ms))
				require.NoError(t, err)
				at(p, 5*ms, "a", time.Minute)
				at(p, 6*ms, "b", time.Minute)
			},
			want: x + "previous run 4ms, queue 6ms (a 15ms, b 6ms)",
		},
		"a worker waited to share a wake-up": {
			wait: func(t *testing.T, p *executor.ScheduledPool) {
				at(p, 10*ms, "a", 0)
				scheduled(t, p, 11*ms)
			},
			want: x + "slack 10ms",
			opts: []executor.Option{executor.Slack(time.Minute)},
		},
	} {
		t.Run(name, func(t *testing.T) {
			late(t, 2, func(p *executor.ScheduledPool, b *book) {
				test.wait(t, p)
				time.Sleep(50 * ms)
				assert.Contains(t, b.read(), test.want)
				assert.EqualValues(t, 1, p.Stats().Expired)
			}, test.opts...)
		})
	}
}

func TestWhyARunOfALoopHasExpired(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := new(book)
		l := eventloop.New(executor.Watch(insight.Config{ExplainLate: insight.Any}),
			executor.Observe(b.observer()), quietly)
		defer l.Close()
		_, err := l.Schedule(0, lasts(30*ms), executor.Name("hog"))
		require.NoError(t, err)
		_, err = l.Schedule(5*ms, lasts(0), executor.Name("x"), executor.BeginWithin(10*ms))
		require.NoError(t, err)
		time.Sleep(time.Second)
		assert.Equal(t, []string{x + "workers 10ms (hog 15ms)"}, b.read())
	})
}

func TestWhyARunOnTheWallClockHasExpired(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock := walltest.Use(t)
		b := new(book)
		p := executor.NewScheduledPool(1,
			executor.Watch(insight.Config{ExplainLate: insight.Any}), executor.Observe(b.observer()),
			pooltest.Quiet())
		defer p.Close()
		_, err := p.ScheduleAt(clock.Now().Add(time.Hour), lasts(0), executor.WallClock(),
			executor.Name("report"), executor.BeginWithin(time.Minute))
		require.NoError(t, err)
		time.Sleep(time.Second)
		clock.Step(3 * time.Hour)
		time.Sleep(time.Hour)
		synctest.Wait()
		require.EqualValues(t, 1, p.Stats().Expired)
		assert.Equal(t, []string{"report#1 late 2h0m1s: clock 2h0m0s"}, b.read())
	})
}

// What has expired was no run that the next would have had to wait for.
func TestARunDoesNotWaitForOneThatHasExpired(t *testing.T) {
	late(t, 1, func(p *executor.ScheduledPool, b *book) {
		at(p, 0, "hog", 45*ms)
		_, err := p.AtFixedRate(10*ms, 5*ms, lasts(0), executor.Name("t"), executor.MaxRuns(1),
			executor.BeginWithin(20*ms))
		require.NoError(t, err)
		time.Sleep(time.Second)
		assert.Equal(t, []string{
			"t#1 late 20.000001ms: workers 20ms (hog 30ms)",
			"t#1 late 20.000001ms: workers 20ms (hog 35ms)",
			"t#1 late 20.000001ms: workers 20ms (hog 40ms)",
			"t#1 late 20ms: workers 20ms (hog 45ms)",
		}, b.read())
	})
}

func TestWhatHasExpiredIsExplainedHoweverShortItHasWaited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		type key struct{}
		var told []string
		var log bytes.Buffer
		p := executor.NewScheduledPool(1, executor.Watch(insight.Config{ExplainLate: time.Hour}),
			executor.BaseContext(context.WithValue(t.Context(), key{}, "of the pool")),
			executor.Logger(slog.New(slog.NewTextHandler(&log, nil))),
			executor.Observe(executor.Observer{
				Expired: func(executor.Run) { told = append(told, "expired") },
				Late: func(ctx context.Context, r executor.Run, l insight.Lateness) {
					told = append(told, fmt.Sprint(r.Name, " ", l.Expired, ", context ", ctx.Value(key{})))
				},
			}))
		defer p.Close()
		at(p, 0, "hog", time.Minute)
		at(p, 0, "late", 0)
		scheduled(t, p, ms)
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		assert.Equal(t, []string{"expired", "x true, context of the pool"}, told)
		assert.Contains(t, log.String(),
			`level=WARN msg="executor: expired after 10ms x: workers 10ms (hog 11ms)"`)
		assert.NotContains(t, log.String(), "late 1m0s")
	})
}

// They are in episodes like late runs, and with these.
func TestRunsThatExpireAgainAndAgainAreLoggedNowAndThen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		p := executor.NewScheduledPool(1, executor.Watch(insight.Config{ExplainLate: insight.Any}),
			executor.Logger(slog.New(slog.NewTextHandler(&log, nil))))
		defer p.Close()
		at(p, 0, "hog", 20500*ms)
		_, err := p.AtFixedRate(0, time.Second, lasts(0), executor.Name("t"),
			executor.BeginWithin(600*ms))
		require.NoError(t, err)
		time.Sleep(21 * time.Second)
		synctest.Wait()
		assert.EqualValues(t, 20, p.Stats().Expired)
		assert.Equal(t, 5, bytes.Count(log.Bytes(), []byte("expired after")), "1, 2, 4, 8 and 16")
	})
}

func TestAsManyAreExplainedAsMayBe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := new(book)
		p := executor.NewScheduledPool(1,
			executor.Watch(insight.Config{ExplainLate: insight.Any}), executor.Observe(b.observer()),
			executor.Watch(insight.Config{History: true}), pooltest.Quiet())
		defer p.Close()
		p.Pause()
		for range 150 {
			scheduled(t, p, 0)
		}
		time.Sleep(time.Second)
		assert.Len(t, b.read(), 100)
		m := p.Insight().Measurements()
		assert.EqualValues(t, 50, m.Unexplained)
		assert.EqualValues(t, 150, m.Expired)
		assert.Equal(t, 100*(10*ms+1), m.Reasons.Held)
	})
}

func TestOnLateIsCalledForWhatHasExpired(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []insight.Lateness
		snap := func(late insight.LateRun) { told = append(told, late.Why) }
		p := executor.NewScheduledPool(1,
			executor.Watch(insight.Config{OnLate: snap, OnLateAfter: 10 * ms}),
			executor.Watch(insight.Config{OnLate: snap, OnLateAfter: time.Second}), pooltest.Quiet())
		defer p.Close()
		p.Pause()
		scheduled(t, p, 0)
		time.Sleep(time.Minute)
		synctest.Wait()
		assert.Equal(t, []insight.Lateness{{Total: 10*ms + 1, Held: 10*ms + 1, Expired: true}}, told)
	})
}

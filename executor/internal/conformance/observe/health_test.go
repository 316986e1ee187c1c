package observe_test

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/executor/insight"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/internal/wall/walltest"
	"github.com/punctual-go/punctual/timer/cron"
)

var errBad = errors.New("bad")

// alarms are the changes of health that a pool has told of.
type alarms struct {
	mu   sync.Mutex
	told []string
	at   []time.Time
}

func (a *alarms) note(h insight.Health) {
	a.mu.Lock()
	defer a.mu.Unlock()
	text := h.Status
	if err := h.Err(); err != nil {
		text = err.Error()
	}
	a.told, a.at = append(a.told, text), append(a.at, h.At)
}

func (a *alarms) read() (told []string) {
	synctest.Wait()
	a.mu.Lock()
	defer a.mu.Unlock()
	told, a.told = a.told, nil
	return told
}

func watched(t *testing.T, play func(p *executor.ScheduledPool, a *alarms)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		a := new(alarms)
		p := executor.NewScheduledPool(2,
			executor.Watch(insight.Config{OnHealth: a.note}), pooltest.Quiet())
		defer p.Close()
		play(p, a)
	})
}

// flaky is a task that fails while told to.
type flaky struct {
	mu   sync.Mutex
	fail bool
	take time.Duration
}

func (f *flaky) set(fail bool, take time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fail, f.take = fail, take
}

func (f *flaky) run(context.Context) error {
	f.mu.Lock()
	fail, take := f.fail, f.take
	f.mu.Unlock()
	time.Sleep(take)
	if fail {
		return errBad
	}
	return nil
}

func TestATaskThatDoesNotSucceedIsTold(t *testing.T) {
	watched(t, func(p *executor.ScheduledPool, a *alarms) {
		var body flaky
		_, err := p.AtFixedRate(time.Minute, time.Minute, body.run, executor.Name("poll"),
			executor.Expect(insight.SuccessWithin(3*time.Minute)))
		require.NoError(t, err)
		assert.Equal(t, "new", p.Insight().Health().Tasks[0].State)
		time.Sleep(90 * time.Second)
		assert.Equal(t, "ok", p.Insight().Health().Tasks[0].State)
		body.set(true, 0)
		time.Sleep(150*time.Second + 1) // three minutes after the last success
		assert.Equal(t, []string{
			`executor: degraded: task "poll": no success for 3m0s, expected within 3m0s`}, a.read())
		h := p.Insight().Health()
		assert.Equal(t, "degraded", h.Status)
		assert.EqualValues(t, 3, h.Tasks[0].FailuresInRow)
		body.set(false, 0)
		time.Sleep(time.Minute)
		assert.Equal(t, []string{"ok"}, a.read())
		assert.NoError(t, p.Insight().Health().Err())
	})
}

func TestTheFirstExpectationToBeBrokenIsToldFirst(t *testing.T) {
	watched(t, func(p *executor.ScheduledPool, a *alarms) {
		for _, within := range []time.Duration{time.Hour, time.Minute, 2 * time.Hour} {
			at, expects := executor.Name(within.String()), executor.Expect(insight.SuccessWithin(within))
			_, err := p.Schedule(24*time.Hour, lasts(0), at, expects)
			require.NoError(t, err)
		}
		for _, d := range []time.Duration{time.Minute + 1, 59 * time.Minute, time.Hour} {
			time.Sleep(d)
			assert.Len(t, a.read(), 1, "after %v more", d)
		}
	})
}

func TestRunsThatBeginLateAreTold(t *testing.T) {
	watched(t, func(p *executor.ScheduledPool, a *alarms) {
		_, err := p.AtFixedRate(0, time.Second, lasts(0), executor.Name("tick"),
			executor.CatchUp(executor.Coalesce),
			executor.Expect(insight.StartWithin(100*ms, 0.99)))
		require.NoError(t, err)
		hold := func() {
			time.Sleep(500 * ms)
			for range 2 {
				at(p, 0, "hog", 700*ms)
			}
			time.Sleep(1500 * ms)
		}
		hold()
		assert.Empty(t, a.read(), "one of a hundred may")
		hold()
		require.Len(t, a.read(), 1)
		assert.Contains(t, p.Insight().Health().Tasks[0].Reason,
			"2 of the last 5 runs began later than 100ms")
		time.Sleep(2 * time.Minute)
		assert.Equal(t, []string{"ok"}, a.read())
	})
}

func TestAPauseOfThePoolDelaysNoStart(t *testing.T) {
	watched(t, func(p *executor.ScheduledPool, a *alarms) {
		_, err := p.AtFixedRate(0, time.Second, lasts(0), executor.Name("tick"),
			executor.CatchUp(executor.Coalesce), executor.Expect(insight.StartWithin(100*ms, 1)))
		require.NoError(t, err)
		for range 3 {
			p.Pause()
			time.Sleep(1500 * ms)
			p.Resume()
			time.Sleep(time.Minute)
		}
		assert.Empty(t, a.read())
	})
}

// What is expected of a mass of tasks takes a look at each of them seldom, not at each submission.
func TestMassesOfWhichSomethingIsExpected(t *testing.T) {
	const n = 20_000
	watched(t, func(p *executor.ScheduledPool, a *alarms) {
		began := time.Now()
		for i := range n {
			_, err := p.AtFixedRate(time.Duration(i)*time.Microsecond, time.Second, lasts(0),
				executor.Name(strconv.Itoa(i)), executor.Expect(insight.SuccessWithin(5*time.Second)))
			require.NoError(t, err)
		}
		require.Equal(t, began, time.Now())
		time.Sleep(10 * time.Second)
		assert.Empty(t, a.read())
		p.Pause()
		time.Sleep(time.Minute)
		assert.Len(t, p.Insight().Health().Tasks, n)
		assert.Empty(t, a.read())
	})
}

func TestAPausedTaskAlarmsNobody(t *testing.T) {
	watched(t, func(p *executor.ScheduledPool, a *alarms) {
		f, err := p.AtFixedRate(0, time.Minute, lasts(0), executor.Name("poll"),
			executor.Expect(insight.SuccessWithin(3*time.Minute)))
		require.NoError(t, err)
		time.Sleep(time.Second)
		f.Pause()
		time.Sleep(time.Hour)
		assert.Equal(t, "paused", p.Insight().Health().Tasks[0].State)
		f.Resume()
		assert.Equal(t, "ok", p.Insight().Health().Status)
		time.Sleep(time.Hour)
		p.Pause()
		time.Sleep(time.Hour)
		assert.Equal(t, "paused", p.Insight().Health().Tasks[0].State)
		p.Resume()
		time.Sleep(time.Hour)
		assert.Empty(t, a.read())
	})
}

func TestASeriesThatAFailureHasEndedIsTold(t *testing.T) {
	watched(t, func(p *executor.ScheduledPool, a *alarms) {
		submit := func(fail bool) {
			_, err := p.AtFixedRate(time.Second, time.Minute, func(context.Context) error {
				if fail {
					panic("boom")
				}
				return nil
			}, executor.Name("poll"), executor.Expect(insight.SuccessWithin(time.Hour)))
			require.NoError(t, err)
		}
		submit(true)
		time.Sleep(time.Minute)
		assert.Equal(t, []string{`executor: degraded: task "poll": ended by a failure`}, a.read())
		for i := range 300 { // what has ended well is forgotten meanwhile
			_, err := p.AtFixedRate(0, time.Second, lasts(0), executor.MaxRuns(1),
				executor.Name(strconv.Itoa(i)), executor.Expect(insight.SuccessWithin(time.Hour)))
			require.NoError(t, err)
			synctest.Wait()
		}
		health := p.Insight().Health().Tasks
		assert.Less(t, len(health), 300)
		assert.Equal(t, "poll", health[0].Name, "the worst first")
		a.read()
		submit(false)
		assert.Empty(t, a.read(), "it has not succeeded yet")
		time.Sleep(time.Second)
		assert.Equal(t, []string{"ok"}, a.read())
		for _, task := range p.Insight().Health().Tasks {
			assert.NotEqual(t, "failed", task.State)
		}
	})
}

func TestWhoIsCancelledIsNotMissed(t *testing.T) {
	watched(t, func(p *executor.ScheduledPool, a *alarms) {
		f, err := p.Schedule(time.Hour, lasts(0), executor.Name("once"),
			executor.Expect(insight.SuccessWithin(time.Minute)))
		require.NoError(t, err)
		time.Sleep(2 * time.Minute)
		require.Len(t, a.read(), 1)
		f.Cancel()
		assert.Equal(t, []string{"ok"}, a.read())
		assert.Empty(t, p.Insight().Health().Tasks)
	})
}

func TestAPoolThatIsStuckIsDown(t *testing.T) {
	watched(t, func(p *executor.ScheduledPool, a *alarms) {
		_, err := p.AtFixedRate(0, time.Minute, lasts(0), executor.Name("poll"),
			executor.Expect(insight.SuccessWithin(3*time.Minute)))
		require.NoError(t, err)
		time.Sleep(time.Second)
		for range 2 {
			at(p, 0, "hog", time.Hour)
		}
		time.Sleep(5 * time.Minute)
		h := p.Insight().Health()
		assert.Equal(t, "down", h.Status)
		assert.Equal(t, "no worker has been free for 4m1s (hog 5m0s, hog 5m0s)", h.Reason)
		text, err := json.Marshal(h)
		require.NoError(t, err)
		assert.Contains(t, string(text), `"status":"down"`)
		time.Sleep(time.Hour)
		assert.Equal(t, "ok", p.Insight().Health().Status)
		told := slices.DeleteFunc(a.read(), func(text string) bool {
			// A hog is done, and the poll not yet.
			return strings.HasPrefix(text, `executor: degraded: task "poll"`)
		})
		assert.Equal(t, []string{
			`executor: degraded: no worker has been free for 1m0s (hog 1m59s, hog 1m59s)`,
			`executor: degraded: no worker has been free for 2m0s (hog 2m59s, hog 2m59s); ` +
				`task "poll": no success for 3m0s, expected within 3m0s`,
			`executor: down: no worker has been free for 5m0s (hog 5m59s, hog 5m59s); ` +
				`task "poll": no success for 6m0s, expected within 3m0s`, "ok"}, told)
		p.Shutdown()
		assert.Equal(t, "down", p.Insight().Health().Status)
	})
}

func TestABadExpectationIsRefused(t *testing.T) {
	p := executor.NewScheduledPool(1)
	defer p.Close()
	for _, e := range []insight.Expectation{insight.SuccessWithin(0), insight.StartWithin(0, 1),
		insight.StartWithin(ms, 0), insight.StartWithin(ms, 1.1), nil} {
		_, err := p.Submit(lasts(0), executor.Expect(e))
		require.ErrorIs(t, err, executor.ErrInvalid)
	}
	assert.Empty(t, p.Insight().Health().Tasks)
}

// A healthy service is restarted now and then, its clock is set, its tasks are slow at times, and
// fail now and then: in a thousand days nobody is alarmed.
func TestNoFalseAlarmInAThousandDays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock := walltest.Use(t)
		rng := rand.New(rand.NewPCG(1, 2))
		a := new(alarms)
		runs := uint64(0)
		for day := 0; day < 1000; {
			p := executor.NewScheduledPool(3,
				executor.Watch(insight.Config{OnHealth: a.note}), pooltest.Quiet())
			var poll, sweep flaky
			_, err := p.AtFixedRate(0, 10*time.Minute, poll.run, executor.Name("poll"),
				executor.CatchUp(executor.Coalesce), executor.Jitter(time.Minute),
				executor.Expect(insight.SuccessWithin(time.Hour), insight.StartWithin(time.Minute, 0.9)))
			require.NoError(t, err)
			_, err = p.WithFixedDelay(time.Minute, time.Hour, sweep.run, executor.Name("sweep"),
				executor.Expect(insight.SuccessWithin(4*time.Hour)))
			require.NoError(t, err)
			report, err := p.On(cron.MustParse("0 3 * * *"), lasts(time.Minute), executor.Name("report"),
				executor.Expect(insight.SuccessWithin(50*time.Hour)))
			require.NoError(t, err)
			for range 1 + rng.IntN(20) {
				poll.set(rng.IntN(8) == 0, time.Duration(rng.IntN(300))*time.Second)
				sweep.set(rng.IntN(8) == 0, time.Duration(rng.IntN(30))*time.Minute)
				if rng.IntN(10) == 0 {
					clock.Step(time.Duration(rng.IntN(7200)-3600) * time.Second)
				}
				if rng.IntN(20) == 0 {
					report.Pause()
				}
				time.Sleep(20 * time.Minute)
				poll.set(false, time.Second)
				sweep.set(false, time.Second)
				time.Sleep(23*time.Hour + 40*time.Minute)
				report.Resume()
				day++
			}
			runs += p.Stats().Runs
			require.NoError(t, p.Close())
		}
		assert.Empty(t, a.read())
		assert.Greater(t, runs, uint64(100_000))
	})
}

func TestALoopTellsHowItIs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := new(alarms)
		l := eventloop.New(executor.Name("ui"), executor.Watch(insight.Config{OnHealth: a.note}),
			pooltest.Quiet().(executor.CommonOption))
		assert.Equal(t, insight.HealthOK, l.Insight().Health().Status)
		f := new(flaky)
		_, err := l.AtFixedRate(0, time.Minute, f.run, executor.Name("poll"),
			executor.Expect(insight.SuccessWithin(3*time.Minute)))
		require.NoError(t, err)
		time.Sleep(time.Hour + time.Second)
		assert.Empty(t, a.read())

		f.set(false, 20*time.Minute) // nothing else can run meanwhile
		_, err = l.Schedule(2*time.Minute, lasts(0), executor.Name("other"))
		require.NoError(t, err)
		time.Sleep(time.Minute)
		f.set(false, 0)
		time.Sleep(6 * time.Minute)
		h := l.Insight().Health()
		assert.Equal(t, insight.HealthDown, h.Status)
		assert.EqualError(t, h.Err(), `executor: pool "ui" down: no worker has been free for 5m0s `+
			`(poll#62 6m1s); `+
			`task "poll": no success for 7m1s, expected within 3m0s`)
		time.Sleep(time.Hour)
		assert.NoError(t, l.Insight().Health().Err())
		assert.Len(t, a.read(), 3, "degraded, down, ok")
		require.NoError(t, l.Close())
		assert.EqualError(t, l.Insight().Health().Err(), `executor: pool "ui" down: it is terminated`)
	})
}

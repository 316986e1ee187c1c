package inspect_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/contrib/inspect"
	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/insight"
)

// poolJSON is what these tests read of the view of a pool.
type poolJSON struct {
	page    string
	Ending  string
	Strip   stripJSON
	Running []struct {
		Task     struct{ Name string }
		WaitsFor *struct{ Name string } `json:"waits_for"`
	}
	Waiting []struct{ Task struct{ Name string } }
	Late    []struct {
		Task  struct{ Name, Path string }
		Late  string
		Error string
		Why   struct {
			Parts   []struct{ What, Time string }
			Holders []struct{ Name, For string }
		}
	} `json:"late_runs"`
	Kinds []struct {
		Task struct{ Name string }
		Runs uint64
	}
}

type stripJSON struct {
	From     time.Time
	Bins     []bin
	Together time.Time `json:"together_until"`
	Cut      int       `json:"calendars_cut"`
}

type bin struct {
	Runs, Failures, Planned uint64
	Together                int
	Late, Name, First       string
}

// shown plays with a pool in a bubble, and returns how it is shown then.
func shown(t *testing.T, core int, play func(p *executor.ScheduledPool)) (v poolJSON) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(core, executor.Watch(insight.Config{History: true}))
		defer p.Close()
		play(p)
		w := get(t, inspect.Handler(p), "/pool/-1/?format=json")
		require.Equal(t, http.StatusOK, w.Code)
		require.NoError(t, json.Unmarshal(w.Body.Bytes(), &v))
		w = get(t, inspect.Handler(p), "/pool/-1/")
		assert.Equal(t, http.StatusOK, w.Code)
		v.page = w.Body.String()
	})
	return v
}

func every(t *testing.T, p *executor.ScheduledPool, d time.Duration, name string, body executor.Task) {
	t.Helper()
	_, err := p.AtFixedRate(d, d, body, executor.Name(name))
	require.NoError(t, err)
}

const present = 120 // the bin of now

func sum(bins []bin) (runs, failures, planned uint64) {
	for _, b := range bins {
		runs, failures, planned = runs+b.Runs, failures+b.Failures, planned+b.Planned
	}
	return runs, failures, planned
}

func TestTheStripHasThePastAndThePlan(t *testing.T) {
	v := shown(t, 1, func(p *executor.ScheduledPool) {
		every(t, p, 10*time.Second, "poll", func(context.Context) error { return errors.New("no") })
		time.Sleep(20*time.Minute + ms)
	})
	require.Len(t, v.Strip.Bins, 2*present+1)
	runs, failures, planned := sum(v.Strip.Bins)
	assert.EqualValues(t, 60, runs, "one that is older than ten minutes is forgotten")
	assert.Equal(t, runs, failures)
	assert.EqualValues(t, 60, planned)
	for i, b := range v.Strip.Bins[1 : present+1] {
		assert.EqualValues(t, i%2, b.Runs, "bin %d", i+1)
	}
	for i, b := range v.Strip.Bins[present+1:] {
		assert.EqualValues(t, i%2, b.Planned, "bin %d", i)
	}
	assert.Equal(t, "poll", v.Strip.Bins[present+2].First)
}

func TestThePlanOfEachKind(t *testing.T) {
	hour := func(play func(p *executor.ScheduledPool)) uint64 {
		_, _, planned := sum(shown(t, 1, play).Strip.Bins)
		return planned
	}
	assert.EqualValues(t, 6049, hour(func(p *executor.ScheduledPool) {
		every(t, p, 100*ms, "dense", sleep(0)) // ten minutes and the five seconds of now
	}))
	assert.EqualValues(t, 60, hour(func(p *executor.ScheduledPool) {
		_, err := p.WithFixedDelay(0, 9*time.Second, sleep(time.Second))
		require.NoError(t, err)
		time.Sleep(time.Second + ms) // a run and the delay are ten seconds
	}), "with a fixed delay, as if each took as long as the last")
	assert.EqualValues(t, 3, hour(func(p *executor.ScheduledPool) {
		for i := range 5 {
			_, err := p.Schedule(dur(i+1)*3*time.Minute, sleep(0))
			require.NoError(t, err)
		}
	}), "once")
	assert.EqualValues(t, 0, hour(func(p *executor.ScheduledPool) {
		f, err := p.AtFixedRate(0, time.Second, sleep(0))
		require.NoError(t, err)
		f.Pause()
	}), "paused")
	assert.EqualValues(t, 1+120, hour(func(p *executor.ScheduledPool) {
		every(t, p, 5*time.Second, "overdue", sleep(0))
		p.Pause()
		time.Sleep(24 * 365 * time.Hour)
	}), "overdue for a year: once now, and then on the grid")
	assert.EqualValues(t, 605*1000*1000, hour(func(p *executor.ScheduledPool) {
		_, err := p.AtFixedRate(time.Nanosecond, time.Microsecond, sleep(0))
		require.NoError(t, err)
		p.Pause()
	}), "as dense as can be")
	assert.EqualValues(t, 1, hour(func(p *executor.ScheduledPool) {
		_, err := p.AtFixedRate(time.Second, 1<<63-1, sleep(0))
		require.NoError(t, err)
	}), "as rare as can be")
	assert.EqualValues(t, 7, hour(func(p *executor.ScheduledPool) {
		_, err := p.AtFixedRate(time.Second, time.Second, sleep(0), executor.MaxRuns(7))
		require.NoError(t, err)
	}), "so many as the series has left")
	assert.EqualValues(t, 29, hour(func(p *executor.ScheduledPool) {
		_, err := p.AtFixedRate(time.Second, time.Second, sleep(0), executor.Until(time.Now().Add(30*time.Second)))
		require.NoError(t, err)
	}), "up to the end of the series")
}

func TestCollisionsAreSeen(t *testing.T) {
	v := shown(t, 2, func(p *executor.ScheduledPool) {
		for _, name := range []string{"a", "b", "c"} {
			every(t, p, time.Minute, name, sleep(0))
		}
		every(t, p, 2*time.Minute, "d", sleep(0))
	})
	var together []int
	for _, b := range v.Strip.Bins {
		if b.Together > 0 {
			together = append(together, b.Together)
		}
	}
	assert.Equal(t, []int{3, 4, 3, 4, 3, 4, 3, 4, 3, 4}, together)
}

// While a task runs it does not wait, but what comes then is known.
func TestThePlanOfATaskThatRuns(t *testing.T) {
	bins := func(play func(p *executor.ScheduledPool)) (at []int) {
		v := shown(t, 2, play)
		for i, b := range v.Strip.Bins {
			if b.Planned > 0 {
				at = append(at, i-present)
			}
		}
		return at
	}
	grid := []int{24, 48, 72, 96, 120} // of two minutes
	for _, name := range []string{"poll", ""} {
		assert.Equal(t, grid, bins(func(p *executor.ScheduledPool) {
			every(t, p, 2*time.Minute, name, sleep(30*time.Second))
			time.Sleep(2*time.Minute + ms)
		}))
	}
	assert.Equal(t, []int{6, 18, 30, 42, 54, 66, 78, 90, 102, 114}, bins(func(p *executor.ScheduledPool) {
		_, err := p.WithFixedDelay(0, 30*time.Second, sleep(30*time.Second))
		require.NoError(t, err)
		time.Sleep(time.Minute + ms)
	}), "with a fixed delay, as if it ended now")
	assert.Equal(t, []int{18, 42, 66, 90, 114}, bins(func(p *executor.ScheduledPool) {
		f, err := p.AtFixedRate(0, 2*time.Minute, sleep(time.Second))
		require.NoError(t, err)
		time.Sleep(30 * time.Second)
		f.Trigger()
		time.Sleep(ms)
	}), "one that was asked for between two others")
	assert.Equal(t, []int{0, 12, 24, 36, 48, 60, 72, 84, 96, 108, 120}, bins(func(p *executor.ScheduledPool) {
		every(t, p, time.Minute, "long", sleep(90*time.Second))
		time.Sleep(2*time.Minute + ms)
	}), "one is overdue")
	assert.Equal(t, []int{6, 12, 24, 30, 36, 48, 54, 60, 72, 78, 84, 96, 102, 108, 120},
		bins(func(p *executor.ScheduledPool) {
			for range 2 { // 30 s apart, of which only the first runs
				every(t, p, 2*time.Minute, "same", sleep(time.Second))
				time.Sleep(30 * time.Second)
			}
			every(t, p, time.Minute, "other", sleep(0))
			time.Sleep(time.Minute + ms)
		}), "not the other of its name")
}

// minutes is a calendar of each minute.
type minutes struct{}

func (minutes) Next(after time.Time) time.Time { return after.Truncate(time.Minute).Add(time.Minute) }

// However many starts there are, all are counted, and the next are looked at one by one, whatever
// their names.
func TestWhatStartsAtOnceAmongMany(t *testing.T) {
	v := shown(t, 2, func(p *executor.ScheduledPool) {
		for i := range 1900 {
			_, err := p.AtFixedRate(dur(i+1)*ms/2, time.Second, sleep(0), executor.Name(numbered("task", i)))
			require.NoError(t, err)
		}
		for range 5 {
			every(t, p, 7*time.Second+ms/4, "zoo", sleep(0))
		}
	})
	_, _, planned := sum(v.Strip.Bins)
	assert.EqualValues(t, 1900*605+5*86, planned)
	assert.Equal(t, v.Strip.From.Add(122*5*time.Second), v.Strip.Together, "two bins, of 9,500 each")
	assert.Equal(t, 2, v.Strip.Bins[present].Together)
	assert.Equal(t, 6, v.Strip.Bins[present+1].Together)
	assert.Contains(t, v.page, "; what starts at the same moment is known as far as ")
}

func TestMoreTasksThanCanBePlanned(t *testing.T) {
	v := shown(t, 1, func(p *executor.ScheduledPool) {
		for i := range 3000 {
			every(t, p, dur(i+1)*100*ms, numbered("task", i), sleep(0))
		}
	})
	_, _, planned := sum(v.Strip.Bins)
	assert.EqualValues(t, 1000, planned, "the next of them")
	assert.Len(t, v.Waiting, 12)
}

func TestWhyARunWasLateIsShown(t *testing.T) {
	v := shown(t, 1, func(p *executor.ScheduledPool) {
		every(t, p, time.Second, "poll", sleep(0))
		_, err := p.Schedule(900*ms, sleep(500*ms), executor.Name("hog"))
		require.NoError(t, err)
		time.Sleep(1500 * ms)
	})
	require.Len(t, v.Late, 1)
	late := v.Late[0]
	assert.Equal(t, "poll", late.Task.Name)
	assert.NotEmpty(t, late.Task.Path)
	assert.Equal(t, "400ms", late.Late)
	assert.Equal(t, []struct{ What, Time string }{{"busy", "400ms"}}, late.Why.Parts)
	assert.Equal(t, "hog", late.Why.Holders[0].Name)
	assert.Equal(t, "400ms", v.Strip.Bins[present].Late)
}

func TestWhoWaitsForWhomIsShown(t *testing.T) {
	v := shown(t, 2, func(p *executor.ScheduledPool) {
		inner, err := p.Submit(sleep(time.Hour), executor.Name("inner"))
		require.NoError(t, err)
		_, err = p.Submit(func(ctx context.Context) error {
			_, err := inner.Get(ctx)
			return err
		}, executor.Name("outer"))
		require.NoError(t, err)
		time.Sleep(time.Minute)
		synctest.Wait()
		t.Cleanup(func() { inner.Cancel() })
	})
	require.Len(t, v.Running, 2)
	for _, r := range v.Running {
		if r.Task.Name == "outer" && assert.NotNil(t, r.WaitsFor) {
			assert.Equal(t, "inner", r.WaitsFor.Name)
		}
	}
}

func TestAShutdownIsShown(t *testing.T) {
	v := shown(t, 1, func(p *executor.ScheduledPool) {
		for range 3 {
			_, err := p.Schedule(time.Hour, sleep(0))
			require.NoError(t, err)
		}
		require.NoError(t, p.Execute(sleep(time.Minute)))
		time.Sleep(time.Second)
		p.Shutdown()
	})
	assert.Equal(t, "Shutting down: 1 run and 3 wait. 0 tasks were dropped, 0 cancelled.", v.Ending)
	v = shown(t, 1, func(p *executor.ScheduledPool) {
		for range 3 {
			_, err := p.Schedule(time.Hour, sleep(0))
			require.NoError(t, err)
		}
		p.ShutdownNow()
	})
	assert.Equal(t, "Shut down: nothing runs and nothing waits. 3 tasks were dropped, 0 cancelled.", v.Ending)
}

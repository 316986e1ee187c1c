package inspect_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"runtime/debug"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/contrib/inspect"
	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/executor/insight"
)

// told is what the index tells a fleet.
type told struct {
	Process struct {
		Instance, Version, Host string
		PID                     int
		Started                 time.Time
	}
	Tasks []struct {
		Pool, Task struct{ Name, Path string }
		Tasks      int
		State      string
		Measured   bool

		Runs, Failures uint64
		Trouble        *struct{ What, Error string }
		Runs16         []struct {
			Number uint64
			Error  string
			Due    time.Time
		} `json:"last_runs"`
	}
	More int `json:"more_tasks"`
}

func tell(t *testing.T, page http.Handler) (v told) {
	t.Helper()
	body := get(t, page, "/?format=json&with=tasks").Body.Bytes()
	require.Less(t, len(body), 8<<20, "a fleet reads no more")
	require.NoError(t, json.Unmarshal(body, &v))
	return v
}

func TestTheIndexTellsItsProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		page, other := inspect.Handler(), inspect.Handler().With(inspect.Version("v7"))
		time.Sleep(time.Hour)
		a, b := tell(t, page).Process, tell(t, other).Process
		assert.NotEmpty(t, a.Instance)
		assert.NotEqual(t, a.Instance, b.Instance)
		assert.Equal(t, a.Instance, tell(t, page).Process.Instance)
		assert.Equal(t, "v7", b.Version)
		assert.Equal(t, os.Getpid(), a.PID)
		assert.WithinDuration(t, time.Now().Add(-time.Hour), a.Started, 0)
		assert.NotContains(t, get(t, page, "/?format=json").Body.String(), `"tasks"`, "only who asks gets them")
	})
}

func TestTheVersionOfABuild(t *testing.T) {
	info := func(main string, settings ...string) *debug.BuildInfo {
		i := &debug.BuildInfo{Main: debug.Module{Version: main}}
		for n := 0; n < len(settings); n += 2 {
			i.Settings = append(i.Settings, debug.BuildSetting{Key: settings[n], Value: settings[n+1]})
		}
		return i
	}
	commit := []string{"vcs.revision", "0123456789abcdef", "vcs.time", "2026-11-28T12:00:00Z", "vcs.modified", "true"}
	assert.Equal(t, "v1.2.3", inspect.VersionOf(info("v1.2.3", commit...)))
	assert.Equal(t, "0123456789ab of 2026-11-28T12:00:00Z, modified", inspect.VersionOf(info("(devel)", commit...)))
	assert.Equal(t, "0123456789ab", inspect.VersionOf(info("", commit[:2]...)))
	assert.Equal(t, "", inspect.VersionOf(info("(devel)")))
}

func TestWhatAFleetIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		quiet := executor.Logger(slog.New(slog.DiscardHandler))
		p := executor.NewScheduledPool(2, executor.Name("jobs"), executor.Watch(insight.Config{History: true}), quiet)
		defer p.Close()
		plain := executor.NewScheduledPool(2, executor.Name("plain"), quiet)
		defer plain.Close()
		loop := eventloop.New(executor.Name("session"), executor.Watch(insight.Config{History: true}), quiet)
		defer loop.Close()
		broken := func(context.Context) error { return errors.New("disk full") }
		every := func(p *executor.ScheduledPool, name string, body executor.Task) {
			_, err := p.AtFixedRate(time.Second, time.Second, body, executor.Name(name))
			require.NoError(t, err)
		}
		every(p, "fine", sleep(0))
		every(p, "", sleep(0))
		every(p, "dies", func(context.Context) error { panic("no") })
		every(p, "fails", broken)
		every(plain, "fails", broken)
		_, err := loop.AtFixedRate(time.Second, time.Second, broken, executor.Name("beat"))
		require.NoError(t, err)
		time.Sleep(6500 * ms)
		v := tell(t, inspect.Handler(p, plain, loop))
		var names []string
		for _, is := range v.Tasks {
			what, last := "ok", ""
			if is.Trouble != nil {
				what = is.Trouble.What
			}
			if len(is.Runs16) > 0 {
				last = is.Runs16[0].Error
				assert.False(t, is.Runs16[0].Due.IsZero())
			}
			names = append(names, fmt.Sprintf("%s %s %s %d/%d %d %s", is.Pool.Name, is.Task.Name, what, is.Failures,
				is.Runs, len(is.Runs16), last))
		}
		assert.Equal(t, []string{"jobs dies dead 1/1 1 future: panic: no", "jobs fails failing 6/6 6 disk full",
			"session beat failing 6/6 1 disk full", "jobs fine ok 0/6 3 ", "plain fails ok 0/6 1 disk full"}, names)
	})
}

// However much there is, a fleet can read it, and what is wrong comes first.
func TestWhatAFleetIsToldIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(2, executor.Name("jobs"), executor.Watch(insight.Config{History: true}),
			executor.Logger(slog.New(slog.DiscardHandler)))
		defer p.Close()
		worst := errors.New(strings.Repeat("\x00", 100_000) + "\n")
		for i := range 700 {
			body := sleep(0)
			if i >= 600 {
				body = func(context.Context) error { return worst }
			}
			_, err := p.AtFixedRate(time.Second, time.Second, body, executor.Name(fmt.Sprintf("tenant %03d", i)))
			require.NoError(t, err)
		}
		page := inspect.Handler(p)
		time.Sleep(1500 * ms)
		const names = 701 // the pool counts runs of many names as those of "other"
		v := tell(t, page)
		assert.Equal(t, names, len(v.Tasks)+v.More)
		assert.Greater(t, len(v.Tasks), 400)
		for i, is := range v.Tasks {
			assert.Equal(t, i < 100, is.Trouble != nil, "%d", i)
		}
		time.Sleep(30 * time.Second)
		v = tell(t, page)
		assert.Equal(t, names, len(v.Tasks)+v.More)
		assert.GreaterOrEqual(t, len(v.Tasks), 50)
		assert.NotNil(t, v.Tasks[49].Trouble)
	})
}

// Ordinary tasks are told up to the bound.
func TestFiveHundredTasksAreTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(2, executor.Name("jobs"), executor.Watch(insight.Config{History: true}))
		defer p.Close()
		for i := range 600 {
			_, err := p.AtFixedRate(time.Second, time.Second, sleep(0), executor.Name(fmt.Sprintf("tenant %03d", i/2)))
			require.NoError(t, err)
			_, err = p.AtFixedRate(time.Second, time.Second, sleep(0), executor.Name(fmt.Sprintf("other %03d", i)))
			require.NoError(t, err)
		}
		time.Sleep(20500 * ms)
		v := tell(t, inspect.Handler(p))
		assert.Len(t, v.Tasks, 500)
		assert.Equal(t, 401, v.More)
		for _, is := range v.Tasks {
			assert.LessOrEqual(t, len(is.Runs16), 3)
		}
	})
}

// A member may say that anything has taken any time.
func TestTheLongestTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork()
		n.set("a", jsonOf(`{"at":"0001-01-02T00:00:00Z","wrong":{"shown":[{"what":"stuck",
			"took":"-2562047h47m16.854775808s","since":"9999-12-31T23:59:59-23:00"}]}}`))
		f := n.fleet(t, three[0])
		v := look(t, f)
		assert.Contains(t, get(t, f, "/").Body.String(), "stuck")
		assert.Contains(t, get(t, f, "/"+v.Processes[0].Path).Body.String(), " behind")
	})
}

package replay_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/insight"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/replay"
)

const header = `{"punctual":1,"kind":"pool","workers":2,"at":"2026-11-21T22:00:00Z"}` + "\n"

func TestABadRecordingIsRefused(t *testing.T) {
	for text, want := range map[string]string{
		"":                                     "replay: this is no recording",
		"{}\n":                                 "replay: this is no recording",
		"hello\n":                              "replay: this is no recording",
		`{"punctual":2}` + "\n":                "replay: version 2 of the format is newer than 1",
		header + "hello\n":                     "replay: line 2: invalid character 'h' looking for beginning of value",
		header + `{"e":"x"}` + "\n":            "replay: line 2: there is no task 0",
		header + `{"e":"begin","id":1}` + "\n": "replay: line 2: there is no task 1",
		header + `{"e":"submit","id":1}` + "\n" + `{"e":"x","id":1}` + "\n":      `replay: line 3: there is no event "x"`,
		header + `{"e":"submit","id":1}` + "\n" + `{"e":"submit","id":1}` + "\n": "replay: line 3: task 1 is submitted again",
	} {
		_, err := replay.Read(strings.NewReader(text))
		assert.EqualError(t, err, want)
	}
	_, err := replay.Read(strings.NewReader(header + `{"e":"lost","count":9}` + "\n" +
		`{"e":"begin","id":1000000000000}` + "\n"))
	require.EqualError(t, err, "replay: line 3: there is no task 1000000000000")
	_, err = replay.Read(strings.NewReader(header + `{"e":"submit","id":3}` + "\n"))
	require.EqualError(t, err, "replay: line 2: task 3 comes before others")
	_, err = replay.ReadFile("testdata/none")
	assert.Error(t, err)
}

func TestARecordingThatIsCutOffCanBeRead(t *testing.T) {
	r, err := replay.Read(strings.NewReader(header + `{"t":5,"e":"submit","id":1}` + "\n" + `{"t":7,"e":"be`))
	require.NoError(t, err)
	assert.False(t, r.Complete)
	assert.Len(t, r.Tasks, 1)
	assert.EqualValues(t, 5, r.Length)
}

// slow is a writer that lets nothing through until it is opened.
type slow struct {
	gate chan struct{}
	mu   sync.Mutex
	out  bytes.Buffer
}

func (s *slow) Write(text []byte) (int, error) {
	<-s.gate
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.out.Write(text)
}

func TestASlowWriterHoldsUpNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &slow{gate: make(chan struct{})}
		p := executor.NewScheduledPool(1, executor.Watch(insight.Config{Record: s}))
		for range 30_000 {
			f, err := p.Submit(lasts(0), executor.Name(strings.Repeat("x", 100)))
			require.NoError(t, err)
			_, err = f.Get(t.Context())
			require.NoError(t, err)
		}
		close(s.gate)
		require.NoError(t, p.Close())
		r, err := replay.Read(&s.out)
		require.NoError(t, err)
		assert.True(t, r.Complete)
		assert.Positive(t, r.Lost)
	})
}

// What a program has done until it crashes is written a second later at most.
func TestLittleIsWrittenAfterASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &slow{gate: make(chan struct{})}
		close(s.gate)
		p := executor.NewScheduledPool(1, executor.Watch(insight.Config{Record: s}))
		defer p.Close()
		for range 3 {
			require.NoError(t, p.Execute(lasts(0)))
			time.Sleep(time.Second)
			synctest.Wait()
		}
		assert.Equal(t, 1+3*3, strings.Count(s.out.String(), "\n"))
	})
}

// faulty is a writer that does harm.
type faulty func() error

func (f faulty) Write([]byte) (int, error) { return 0, f() }

func TestAWriterThatFailsHarmsNobody(t *testing.T) {
	for what, harm := range map[string]faulty{
		"error":  func() error { return errors.New("disk full") },
		"panic":  func() error { panic("disk full") },
		"goexit": func() error { runtime.Goexit(); return nil },
	} {
		synctest.Test(t, func(t *testing.T) {
			var log bytes.Buffer
			p := executor.NewScheduledPool(1, executor.Watch(insight.Config{Record: harm}),
				executor.Logger(slog.New(slog.NewTextHandler(&log, nil))))
			for range 5 {
				f, err := p.Submit(lasts(2 * time.Second))
				require.NoError(t, err)
				_, err = f.Get(context.Background())
				require.NoError(t, err)
			}
			require.NoError(t, p.Close())
			if what != "goexit" {
				assert.Equal(t, 1, strings.Count(log.String(), "disk full"), "%s", log.String())
			}
		})
	}
	twice := executor.Watch(insight.Config{Record: io.Discard})
	assert.PanicsWithValue(t, "executor: two recordings of one executor: use an io.MultiWriter",
		func() { executor.NewPool(1, twice, twice) })
}

// In real time the same runs come, with the same outcomes.
func TestARecordingInRealTime(t *testing.T) {
	var out bytes.Buffer
	p := executor.NewScheduledPool(2, executor.Watch(insight.Config{Record: &out}), pooltest.Quiet())
	n := 0
	f, err := p.AtFixedRate(0, ms, func(context.Context) error {
		if n++; n%3 == 0 {
			return errBad
		}
		return nil
	}, executor.Name("series"), executor.MaxRuns(30), executor.CatchUp(executor.Burst))
	require.NoError(t, err)
	_, err = f.Get(t.Context())
	require.NoError(t, err)
	require.NoError(t, p.Close())
	r, err := replay.Read(&out)
	require.NoError(t, err)
	synctest.Test(t, func(t *testing.T) {
		again, err := r.Play(nil)
		require.NoError(t, err)
		require.Len(t, again.Tasks[0].Runs, 30)
		for i, run := range again.Tasks[0].Runs {
			assert.Equal(t, r.Tasks[0].Runs[i].Outcome, run.Outcome)
		}
	})
}

func FuzzRead(f *testing.F) {
	f.Add(header + `{"t":5,"e":"submit","id":1,"rate":7}` + "\n" + `{"t":7,"e":"begin","id":1,"n":1}` + "\n")
	f.Add(header + `{"t":5,"e":"lost","count":3}` + "\n" + `{"t":7,"e":"end","id":2}` + "\n")
	f.Fuzz(func(t *testing.T, text string) {
		r, err := replay.Read(strings.NewReader(text))
		assert.NotEqual(t, r == nil, err == nil)
	})
}

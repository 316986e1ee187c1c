package runlog_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"strings"
	"testing"
	"testing/slogtest"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/runlog"
)

// run runs a body in a pool whose lines are kept, and returns what is kept of it.
func run(t *testing.T, config runlog.Config, body func(ctx context.Context)) runlog.Run {
	t.Helper()
	kept := runlog.New(config)
	p := executor.NewPool(1, executor.Name("pool"), quiet, executor.Observe(kept.Observer()))
	f, err := p.Submit(func(ctx context.Context) error { body(ctx); return nil }, executor.Name("task"))
	require.NoError(t, err)
	_, err = f.Get(context.Background())
	require.NoError(t, err)
	p.Close()
	runs := kept.Runs("pool", "task")
	require.Len(t, runs, 1)
	return runs[0]
}

// withRun is a handler each of whose records is of a run.
type withRun struct {
	slog.Handler
	ctx context.Context
}

func (h withRun) Handle(_ context.Context, r slog.Record) error { return h.Handler.Handle(h.ctx, r) }
func (h withRun) WithAttrs(as []slog.Attr) slog.Handler {
	return withRun{h.Handler.WithAttrs(as), h.ctx}
}
func (h withRun) WithGroup(name string) slog.Handler {
	return withRun{h.Handler.WithGroup(name), h.ctx}
}

// TestTheHandlerKeepsTheContractOfSlog: what is kept, and what is passed on, is what slogtest
// demands of any handler.
func TestTheHandlerKeepsTheContractOfSlog(t *testing.T) {
	kept := runlog.New(runlog.Config{})
	p := executor.NewPool(1, executor.Name("pool"), executor.Observe(kept.Observer()))
	defer p.Close()
	inRun := make(chan context.Context)
	over := make(chan struct{})
	require.NoError(t, p.Execute(func(ctx context.Context) error { inRun <- ctx; <-over; return nil },
		executor.Name("task")))
	defer close(over)
	ctx := <-inRun

	var passed bytes.Buffer
	slogtest.Run(t, func(*testing.T) slog.Handler {
		passed.Reset()
		return withRun{runlog.Handler(slog.NewJSONHandler(&passed, nil)), ctx}
	}, func(t *testing.T) map[string]any {
		lines := kept.Runs("pool", "task")[0].Lines
		return parsed(t, lines[len(lines)-1])
	})
	slogtest.Run(t, func(*testing.T) slog.Handler {
		passed.Reset()
		return withRun{runlog.Handler(slog.NewJSONHandler(&passed, nil)), ctx}
	}, func(t *testing.T) (all map[string]any) {
		require.NoError(t, json.Unmarshal(passed.Bytes(), &all))
		return all
	})
}

// parsed reads a line, of attributes without spaces.
func parsed(t *testing.T, line runlog.Line) map[string]any {
	all := map[string]any{slog.LevelKey: line.Level.String(), slog.MessageKey: line.Message}
	if !line.Time.IsZero() {
		all[slog.TimeKey] = line.Time
	}
	for _, field := range strings.Fields(line.Attrs) {
		path, value, ok := strings.Cut(field, "=")
		require.True(t, ok, line.Attrs)
		in := all
		keys := strings.Split(path, ".")
		for _, group := range keys[:len(keys)-1] {
			if in[group] == nil {
				in[group] = map[string]any{}
			}
			in = in[group].(map[string]any)
		}
		in[keys[len(keys)-1]] = value
	}
	return all
}

// valuer is a value that is made when it is logged.
type valuer func() slog.Value

func (v valuer) LogValue() slog.Value { return v() }

type stringer func() string

func (s stringer) String() string { return s() }

func TestLinesAsText(t *testing.T) {
	long := strings.Repeat("é", 1<<19)
	got := run(t, runlog.Config{}, func(ctx context.Context) {
		log := logger()
		log.InfoContext(ctx, "plain")
		log.With("a", 1).WithGroup("g").With("b", "x y").InfoContext(ctx, "nested", "c", 2*time.Second,
			slog.Group("h", "d", true), slog.Group("", "e", 1.5), slog.Group("none"), "f", errBad)
		log.InfoContext(ctx, "odd", "quote", `"`, "empty", "", "turned", "\u202e", "nul", "\x00", "n", nil,
			"bytes", []byte("b"), "at", time.Unix(0, 0).UTC(), "broken", "\xff", "is", "a=b")
		log.InfoContext(ctx, "panics", "value", valuer(func() slog.Value { panic("no") }),
			"text", stringer(func() string { panic("never") }), "after", 1)
		log.InfoContext(ctx, long, "lost", 1)
		log.InfoContext(ctx, "huge", "value", long, "lost", 1)
		log.InfoContext(ctx, "group", long, 1, slog.Group(long, "g", strings.Repeat(long, 2)), "lost", 1)
		log.InfoContext(ctx, "nuls", "v", strings.Repeat("\x00", 1<<20), "lost", 1)
	})
	lines := texts(got)
	require.Len(t, lines, 8)
	assert.Regexp(t, `^nuls v="(\\x00)+.{0,3}…$`, lines[7])
	assert.Equal(t, "plain", lines[0])
	assert.Equal(t, `nested a=1 g.b="x y" g.c=2s g.h.d=true g.e=1.5 g.f=bad`, lines[1])
	assert.Equal(t, `odd quote="\"" empty="" turned="\u202e" nul="\x00" n=<nil> bytes=b `+
		`at=1970-01-01T00:00:00Z broken="\xff" is="a=b"`, lines[2])
	assert.Contains(t, lines[3], "LogValue panicked")
	assert.Contains(t, lines[3], `PANIC=String method: never)" after=1`)
	for _, line := range lines[4:7] {
		assert.Less(t, len(line), 2500)
		assert.Contains(t, line, "… (1048576 bytes)")
		assert.NotContains(t, line, "lost=")
	}
}

// TestLinesHaveALevelOfTheirOwn: what is kept is up to the Config alone, and what is passed on up to
// the next handler.
func TestLinesHaveALevelOfTheirOwn(t *testing.T) {
	var out bytes.Buffer
	next := slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelWarn})
	log := slog.New(runlog.Handler(next))
	level := new(slog.LevelVar)
	got := run(t, runlog.Config{Level: level}, func(ctx context.Context) {
		log.DebugContext(ctx, "one")
		log.InfoContext(ctx, "two")
		level.Set(slog.LevelError)
		log.WarnContext(ctx, "three")
		assert.False(t, log.Enabled(ctx, slog.LevelInfo))
		assert.True(t, log.Enabled(ctx, slog.LevelWarn))
		level.Set(slog.LevelDebug)
		log.DebugContext(ctx, "four")
		log.Info("not of a run")
	})
	assert.Equal(t, []string{"two", "four"}, texts(got))
	assert.NotContains(t, out.String(), "two")
	assert.Contains(t, out.String(), "three")
	assert.Equal(t, 1, strings.Count(out.String(), "\n"))
	assert.False(t, log.Enabled(t.Context(), slog.LevelInfo))
	assert.False(t, log.Enabled(nil, slog.LevelInfo)) //nolint:staticcheck // a nil context harms nobody
}

// TestAValueThatLogs: one that logs another line has that kept, and one that logs itself has an end.
func TestAValueThatLogs(t *testing.T) {
	got := run(t, runlog.Config{Lines: 1000}, func(ctx context.Context) {
		log := logger()
		log.InfoContext(ctx, "outer", "v", valuer(func() slog.Value {
			log.InfoContext(ctx, "inner")
			return slog.IntValue(7)
		}))
		var self valuer
		self = func() slog.Value {
			log.InfoContext(ctx, "self", "v", self)
			return slog.IntValue(8)
		}
		log.InfoContext(ctx, "self", "v", self)
		var twice valuer
		twice = func() slog.Value {
			log.InfoContext(ctx, "twice", "v", twice)
			log.InfoContext(ctx, "twice", "v", twice)
			return slog.IntValue(9)
		}
		log.InfoContext(ctx, "twice", "v", twice)
		var endless valuer
		endless = func() slog.Value { return slog.GroupValue(slog.Any("g", endless)) }
		log.InfoContext(ctx, "endless", "v", endless)
		log.InfoContext(ctx, "last")
	})
	lines := texts(got)
	assert.Equal(t, []string{"inner", "outer v=7", "self v=8"}, lines[:3])
	assert.Contains(t, lines[len(lines)-2], "endless …")
	assert.Equal(t, "last", lines[len(lines)-1])
	assert.EqualValues(t, 1+1+64, got.Dropped)
}

// TestAValueThatEndsItsGoroutine: the run has failed, and the log goes on.
func TestAValueThatEndsItsGoroutine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kept, log := runlog.New(runlog.Config{}), logger()
		p := executor.NewScheduledPool(1, quiet, executor.Observe(kept.Observer()))
		_, err := p.AtFixedRate(0, time.Second, func(ctx context.Context) error {
			log.InfoContext(ctx, "fine")
			log.InfoContext(ctx, "ends", "v", valuer(func() slog.Value { goexit(); return slog.Value{} }))
			return nil
		}, executor.Name("poll"), executor.FailurePolicy(executor.Continue))
		require.NoError(t, err)
		time.Sleep(1500 * ms)
		p.Close()
		runs := kept.Runs("", "poll")
		require.Len(t, runs, 2)
		for _, r := range runs {
			assert.Equal(t, []string{"fine"}, texts(r))
			assert.True(t, r.Ended)
		}
	})
}

// TestTheNextHandler: it gets each record as it is, its error is returned, and what it must not be
// is refused when the program starts.
func TestTheNextHandler(t *testing.T) {
	h := runlog.Handler(failing{slog.DiscardHandler})
	assert.ErrorIs(t, h.Handle(t.Context(), slog.Record{}), errBad)
	assert.Same(t, h, runlog.Handler(h), "lines are not kept twice")
	assert.Same(t, h, h.WithGroup(""))
	assert.Same(t, h, h.WithAttrs(nil))
	assert.PanicsWithValue(t, "runlog: the first handler of slog.Default can't be wrapped, as it would "+
		"wait for itself: give another, such as slog.NewTextHandler(os.Stderr, nil)",
		func() { runlog.Handler(slog.Default().Handler()) })
	assert.NotPanics(t, func() { runlog.Handler(slog.NewTextHandler(io.Discard, nil)) })
}

type failing struct{ slog.Handler }

func (failing) Enabled(context.Context, slog.Level) bool  { return true }
func (failing) Handle(context.Context, slog.Record) error { return errors.Join(errBad) }

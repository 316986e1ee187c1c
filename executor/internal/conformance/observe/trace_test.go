package observe_test

import (
	"bytes"
	"context"
	"runtime/trace"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/executor/insight"
)

// The strings of a trace stand in it as they are, so it need not be parsed for them.
func TestATraceTellsRunsByTheirNames(t *testing.T) {
	if trace.IsEnabled() {
		t.Skip("the tests themselves are traced")
	}
	var buffer bytes.Buffer
	require.NoError(t, trace.Start(&buffer))
	traced := make(chan string, 10)
	body := func(ctx context.Context) error {
		trace.Log(ctx, "body", "tells "+executorName(ctx))
		traced <- executorName(ctx)
		return nil
	}
	p := executor.NewScheduledPool(1, executor.Name("jobs"),
		executor.Watch(insight.Config{ExplainLate: ms}))
	l := eventloop.New(executor.Name("ui"))
	_, err := p.Schedule(0, func(context.Context) error { time.Sleep(20 * ms); return nil },
		executor.Name("hog"))
	require.NoError(t, err)
	_, err = p.Schedule(ms, body, executor.Name("nightly-import"))
	require.NoError(t, err)
	_, err = l.Schedule(0, body, executor.Name("redraw"))
	require.NoError(t, err)
	assert.ElementsMatch(t, []string{"nightly-import", "redraw"}, []string{<-traced, <-traced})
	require.NoError(t, p.Close())
	require.NoError(t, l.Close())
	trace.Stop()
	for _, text := range []string{"nightly-import", "redraw", `task "nightly-import" of pool "jobs"#1`,
		`task "redraw" of loop "ui"#1`, "punctual.late", "tells nightly-import"} {
		assert.True(t, bytes.Contains(buffer.Bytes(), []byte(text)), text)
	}
}

func executorName(ctx context.Context) string {
	r, _ := executor.RunFrom(ctx)
	return r.Name
}

package otelpunctual_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/punctual-go/punctual/executor"
)

const ms = time.Millisecond

var errBad = errors.New("bad")

func lasts(d time.Duration) executor.Task {
	return func(context.Context) error { time.Sleep(d); return nil }
}

func fails(context.Context) error { return errBad }

// newPool returns a pool that logs nothing and ends with the test.
func newPool(t *testing.T, size int, opts ...executor.Option) *executor.ScheduledPool {
	p := executor.NewScheduledPool(size, append(opts, executor.Logger(slog.New(slog.DiscardHandler)))...)
	t.Cleanup(func() {
		p.ShutdownNow()
		assert.NoError(t, p.AwaitTermination(context.Background()))
	})
	return p
}

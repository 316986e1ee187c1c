package control_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/serial"
	"github.com/punctual-go/punctual/future"
)

// A task of a serial executor that waits for another attempt holds up those behind it, and no
// worker. Whatever ends the wait lets them in.
func TestThoseBehindATaskThatIsTriedAgainWaitForItsEnd(t *testing.T) {
	ends := map[string]func(p *executor.Pool, first *future.Future[struct{}]) time.Duration{
		"success": func(*executor.Pool, *future.Future[struct{}]) time.Duration { return 2 * time.Second },
		"cancelled": func(_ *executor.Pool, first *future.Future[struct{}]) time.Duration {
			first.Cancel()
			return 500 * time.Millisecond
		},
		"closed": func(p *executor.Pool, _ *future.Future[struct{}]) time.Duration {
			_ = p.Close()
			return 500 * time.Millisecond
		},
		"shut down": func(p *executor.Pool, _ *future.Future[struct{}]) time.Duration {
			p.Shutdown()
			return 2 * time.Second
		},
	}
	for kind, newPool := range pooltest.Kinds {
		for name, end := range ends {
			t.Run(kind+"/"+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					p := newPool(t, 1)
					s := serial.New(p)
					d := newDiary()
					first, err := s.Submit(d.attempts(3), executor.Retry(3, every(time.Second)))
					require.NoError(t, err)
					var behind time.Duration
					second, err := s.Submit(func(context.Context) error { behind = time.Since(d.began); return nil })
					require.NoError(t, err)
					d.until(0.5)
					want := end(p, first)
					_, err = second.GetTimeout(time.Hour)
					require.NoError(t, err)
					assert.Equal(t, want, behind)
					pooltest.Balanced(t, p)
				})
			})
		}
	}
}

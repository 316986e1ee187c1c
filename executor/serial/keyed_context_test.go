package serial_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/serial"
)

// askingContext calls the pool, once there is one, whenever it is asked for a value.
type askingContext struct {
	context.Context
	pool *executor.Pool
}

func (c *askingContext) Value(key any) any {
	if c.pool != nil {
		c.pool.Stats()
	}
	return c.Context.Value(key)
}

// Not in a bubble, where nobody who waits for a mutex lets time go on.
func TestABaseContextMayCallThePoolWhateverIsDoneWithThat(t *testing.T) {
	work := map[string]func(p *executor.Pool) error{
		"a serial executor for each key": func(p *executor.Pool) error {
			k := serial.NewKeyed[int](p)
			for key := range 3 {
				if err := k.Execute(key, pooltest.Nothing); err != nil {
					return err
				}
				if _, err := k.Submit(key, pooltest.Nothing, executor.Name("named")); err != nil {
					return err
				}
			}
			return nil
		},
		"a serial executor": func(p *executor.Pool) error {
			return serial.New(p).Execute(pooltest.Nothing)
		},
		"a named task": func(p *executor.Pool) error {
			_, err := p.Submit(pooltest.Nothing, executor.Name("named"))
			return err
		},
		"a task that asks": func(p *executor.Pool) error {
			return p.Execute(func(ctx context.Context) error {
				_ = ctx.Value("key")
				return ctx.Err()
			})
		},
		"a shutdown": func(p *executor.Pool) error {
			_, err := p.Submit(func(ctx context.Context) error { <-ctx.Done(); return nil })
			p.ShutdownNow()
			return err
		},
	}
	for name, do := range work {
		t.Run(name, func(t *testing.T) {
			base := &askingContext{Context: context.Background()}
			p := executor.NewPool(1, executor.Name("asked"), executor.BaseContext(base),
				executor.Logger(slog.New(slog.DiscardHandler)))
			base.pool = p
			over := make(chan error, 1)
			go func() {
				err := do(p)
				p.Shutdown()
				<-p.Terminated()
				over <- err
			}()
			select {
			case err := <-over:
				require.NoError(t, err)
			case <-time.After(time.Minute):
				assert.Fail(t, "the context is asked with the lock of the pool held")
			}
		})
	}
}

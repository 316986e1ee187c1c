package snippets

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/contrib/inspect"
	"github.com/punctual-go/punctual/executor"
)

// drain ends a service in order, within 25 seconds. Kubernetes kills it after 30.
func drain(server *http.Server, pool *executor.ScheduledPool, draining *atomic.Bool) error {
	draining.Store(true)        // the readiness probe fails from now on
	time.Sleep(5 * time.Second) // until nobody sends new requests here

	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	served := server.Shutdown(ctx)          // requests finish
	report, ended := pool.CloseContext(ctx) // due tasks finish, later ones are dropped
	for _, lost := range report.Dropped {
		if !lost.Periodic {
			slog.Warn("did not run", "task", lost)
		}
	}
	for _, cut := range report.Running { // their contexts have ended
		slog.Warn("was cut off", "task", cut)
	}
	return errors.Join(served, ended)
}

// probed is a mux with the probes of a pool.
func probed(pool *executor.ScheduledPool, draining *atomic.Bool) *http.ServeMux {
	mux := http.NewServeMux()
	mux.Handle("/livez", inspect.Health(pool)) // 503 only if the pool is down: shut down, or stuck
	mux.HandleFunc("/readyz", func(w http.ResponseWriter, r *http.Request) {
		if draining.Load() {
			http.Error(w, "draining", http.StatusServiceUnavailable)
			return
		}
		inspect.Ready(pool).ServeHTTP(w, r) // 503 while the pool takes no tasks
	})
	return mux
}

func TestAServiceIsDrained(t *testing.T) {
	for _, c := range []struct {
		name string
		took time.Duration
		want error
	}{
		{"a job that ends in time", 20 * time.Second, nil},
		{"a job that does not", time.Hour, context.DeadlineExceeded},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var draining atomic.Bool
				pool := executor.NewScheduledPool(1)
				mux := probed(pool, &draining)
				get := func(path string) int {
					w := httptest.NewRecorder()
					mux.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
					return w.Code
				}
				interrupted := false
				require.NoError(t, pool.Execute(func(ctx context.Context) error {
					select {
					case <-time.After(c.took):
					case <-ctx.Done():
						interrupted = true
					}
					return nil
				}))
				require.Equal(t, http.StatusOK, get("/readyz"))

				begun := time.Now()
				ended := make(chan error, 1)
				go func() { ended <- drain(&http.Server{}, pool, &draining) }()
				time.Sleep(time.Second)
				require.Equal(t, http.StatusServiceUnavailable, get("/readyz"))
				require.Equal(t, http.StatusOK, get("/livez"))
				require.ErrorIs(t, <-ended, c.want)
				require.LessOrEqual(t, time.Since(begun), 25*time.Second)
				<-pool.Terminated()
				require.Equal(t, c.want != nil, interrupted)
				require.Equal(t, http.StatusServiceUnavailable, get("/livez"))
			})
		})
	}
}

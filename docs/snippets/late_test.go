package snippets

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/contrib/inspect"
	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/insight"
)

func TestSeeingWhy(t *testing.T) {
	mux := http.NewServeMux()
	pool := executor.NewScheduledPool(4, executor.Name("jobs"),
		executor.Watch(insight.Config{ // histograms of lateness and duration
			ExplainLate: 100 * time.Millisecond, // log why a run is so late
			History:     true,                   // the last ten minutes
		}))
	mux.Handle("/punctual/", inspect.Handler(pool))
	defer pool.Close()
	poll := func(context.Context) error { return nil }
	_, err := pool.Every(time.Minute, poll, executor.Name("poll"), executor.Expect(
		insight.SuccessWithin(3*time.Minute), insight.StartWithin(time.Second, 0.99)))
	mux.Handle("/healthz", inspect.Health(pool)) // a liveness probe: 503 only if the pool is down
	mux.HandleFunc("/alert", func(w http.ResponseWriter, _ *http.Request) {
		h := pool.Insight().Health()
		if h.Status != insight.HealthOK { // also if a task is late or has failed
			http.Error(w, h.Err().Error(), http.StatusServiceUnavailable)
		}
	})
	require.NoError(t, err)
	for _, path := range []string{"/punctual/", "/healthz", "/alert"} {
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		require.Equal(t, http.StatusOK, w.Code, path)
	}
}

func TestBeingLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := executor.NewScheduledPool(1)
		defer pool.Close()
		runs := 0
		push := func(context.Context) error { runs++; return nil }
		require.NoError(t, pool.Execute(func(context.Context) error {
			time.Sleep(time.Minute) // holds the only worker
			return nil
		}))
		_, err := pool.Every(time.Second, push, executor.Name("push"),
			executor.BeginWithin(5*time.Second), // later than this it is of no use
			executor.Timeout(800*time.Millisecond))
		require.NoError(t, err)
		time.Sleep(time.Minute + 2*time.Second)
		synctest.Wait()
		require.LessOrEqual(t, runs, 4)
		require.Positive(t, runs)
	})
}

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/insight"
)

// Service is an HTTP server and its scheduled jobs. They end together, in order: first the server
// stops accepting, and finishes the requests that it has; then the jobs end, so that no request
// misses them.
type Service struct {
	Grace time.Duration // for both to end

	pool     *executor.ScheduledPool
	requests atomic.Int64
	last     atomic.Int64 // requests in the last span
}

// NewService makes a service that counts its requests per span.
func NewService(grace, span time.Duration) (*Service, error) {
	s := &Service{Grace: grace, pool: executor.NewScheduledPool(2, executor.Name("jobs"))}
	_, err := s.pool.Every(span, func(context.Context) error {
		s.last.Store(s.requests.Swap(0))
		return nil
	}, executor.Name("count"), executor.Expect(insight.SuccessWithin(3*span)))
	return s, err
}

// Run serves until ctx ends. The error says what has gone wrong, also on the way down; a request or
// job that was cut off because the grace was over is wrong.
func (s *Service) Run(ctx context.Context, l net.Listener) error {
	server := &http.Server{Handler: s.routes(), ReadHeaderTimeout: 5 * time.Second}
	both, ctx := errgroup.WithContext(ctx)
	both.Go(func() error {
		if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			return err // ends the other as well
		}
		return nil
	})
	both.Go(func() error {
		<-ctx.Done()
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.Grace)
		defer cancel()
		return errors.Join(server.Shutdown(end), s.endJobs(end))
	})
	return both.Wait()
}

func (s *Service) endJobs(ctx context.Context) error {
	report, err := s.pool.CloseContext(ctx)
	if err != nil {
		return fmt.Errorf("jobs were cut off: %v: %w", report.Running, err)
	}
	return nil
}

func (s *Service) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		s.requests.Add(1)
		_, _ = fmt.Fprintf(w, "%d requests in the last span\n", s.last.Load())
	})
	mux.HandleFunc("GET /slow", func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-time.After(300 * time.Millisecond):
			_, _ = fmt.Fprintln(w, "finished")
		case <-r.Context().Done():
		}
	})
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		h := s.pool.Insight().Health()
		w.Header().Set("Content-Type", "application/json")
		if h.Status == insight.HealthDown { // not if a job is late: a restart would not help it
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		_ = json.NewEncoder(w).Encode(h)
	})
	return mux
}

package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/punctual-go/punctual/contrib/inspect"
	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/executor/insight"
	"github.com/punctual-go/punctual/executor/supervisor"
)

// gallery is a small service to look at, and the page that shows it.
type gallery struct {
	url        string
	server     *http.Server
	pool       *executor.ScheduledPool
	loop       *eventloop.Loop
	supervisor *supervisor.Supervisor
}

// newGallery starts the service and serves its page to this machine only.
func newGallery(ctx context.Context) (*gallery, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("the page can't be served: %w", err)
	}
	g := &gallery{
		pool: executor.NewScheduledPool(3, executor.Name("service"),
			executor.Watch(insight.Config{History: true}),
			executor.BaseContext(ctx)),
		loop: eventloop.New(executor.Name("session"), executor.Watch(insight.Config{History: true}),
			executor.BaseContext(ctx)),
	}
	if err := g.begin(); err != nil {
		return nil, errors.Join(err, listener.Close(), g.close())
	}
	address := listener.Addr().String()
	g.url = "http://" + address + "/punctual/"
	mux := http.NewServeMux()
	// Whoever gets another host's name to lead here is no friend.
	mux.Handle("/punctual/", inspect.Handler(g.pool, g.loop, g.supervisor).With(
		inspect.Actions(func(r *http.Request) bool { return r.Host == address })))
	g.server = &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = g.server.Serve(listener) }()
	return g, nil
}

// begin has the service do what services do: most of it goes well, some is slow, and some fails.
func (g *gallery) begin() error {
	takes := func(d time.Duration) executor.Task {
		return func(ctx context.Context) error {
			select {
			case <-time.After(d):
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
	flaky := func(ctx context.Context) error {
		if run, _ := executor.RunFrom(ctx); run.Number%3 == 0 {
			return errors.New("connection reset by peer")
		}
		return takes(30 * time.Millisecond)(ctx)
	}
	var failed error
	every := func(period time.Duration, name string, task executor.Task, opts ...executor.TaskOption) {
		_, err := g.pool.AtFixedRate(period, period, task, append(opts, executor.Name(name))...)
		failed = errors.Join(failed, err)
	}
	every(time.Second, "heartbeat", takes(2*time.Millisecond),
		executor.Expect(insight.SuccessWithin(3*time.Second)))
	every(2*time.Second, "refresh prices", takes(80*time.Millisecond))
	every(5*time.Second, "import orders", takes(900*time.Millisecond))
	every(7*time.Second, "sweep sessions", takes(400*time.Millisecond))
	every(3*time.Second, "fetch rates", flaky)
	every(time.Minute, "report", takes(3*time.Second))
	every(24*time.Hour, "backup", takes(time.Minute))
	for i := range 12 {
		every(10*time.Second, fmt.Sprintf("tenant %02d", i+1), takes(60*time.Millisecond))
	}
	_, err := g.pool.WithFixedDelay(0, 4*time.Second, takes(250*time.Millisecond), executor.Name("poll mail"))
	failed = errors.Join(failed, err)
	_, err = g.loop.AtFixedRate(0, 500*time.Millisecond, takes(time.Millisecond), executor.Name("tick"))
	failed = errors.Join(failed, err)
	g.supervisor = supervisor.New(g.pool, flaky, executor.Name("registry"),
		supervisor.Interval(5*time.Second))
	g.supervisor.Start()
	return failed
}

// close ends the page, and then the service.
func (g *gallery) close() error {
	var err error
	if g.server != nil {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		err = g.server.Shutdown(ctx)
	}
	if g.supervisor != nil {
		g.supervisor.Stop()
	}
	g.pool.ShutdownNow()
	g.loop.ShutdownNow()
	return errors.Join(err, g.pool.Close(), g.loop.Close())
}

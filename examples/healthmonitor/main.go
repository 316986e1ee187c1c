// Healthmonitor probes 500 targets, each at its own moment, gives up a probe that takes too long,
// and asks a target that is down less and less often. The last results are served over HTTP.
// SIGTERM ends it in order, with a report.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	length := flag.Duration("for", 3*time.Second, "end by itself after this time; 0 means never")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	if *length > 0 {
		ctx, stop = context.WithTimeout(ctx, *length)
		defer stop()
	}
	if err := run(ctx); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	m := NewMonitor(&http.Client{Transport: pretended{}}, Settings{
		Period: time.Second, Jitter: time.Second, Timeout: 300 * time.Millisecond,
		Rarest: time.Minute, Workers: 50,
	})
	for i := range 500 {
		if err := m.Watch(fmt.Sprintf("http://target-%d.example", i)); err != nil {
			return err
		}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: m, ReadHeaderTimeout: time.Second}
	go func() {
		if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			log.Print(err)
		}
	}()
	fmt.Printf("results on http://%s\n", l.Addr())
	for progress := time.NewTicker(time.Second); ; {
		select {
		case <-progress.C:
			down, all := m.Down()
			fmt.Printf("%d targets, %d down\n", all, down)
		case <-ctx.Done():
			progress.Stop()
			return end(server, m)
		}
	}
}

// end gives requests and probes that are under way ten seconds.
func end(server *http.Server, m *Monitor) error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	report, err := m.Close(ctx)
	fmt.Printf("ended: %d series dropped, %d probes still running\n",
		len(report.Dropped), len(report.Running))
	return errors.Join(err, server.Shutdown(ctx))
}

// pretended is a network in which each tenth target is down, and each hundredth hangs.
type pretended struct{}

func (pretended) RoundTrip(r *http.Request) (*http.Response, error) {
	var i int
	if _, err := fmt.Sscanf(r.URL.Host, "target-%d", &i); err != nil {
		return nil, err
	}
	took := 20 * time.Millisecond
	if i%100 == 99 {
		took = time.Hour
	}
	select {
	case <-time.After(took):
	case <-r.Context().Done():
		return nil, context.Cause(r.Context())
	}
	status := http.StatusOK
	if i%10 == 0 {
		status = http.StatusServiceUnavailable
	}
	return &http.Response{StatusCode: status, Status: http.StatusText(status), Body: http.NoBody,
		Request: r}, nil
}

package faults

import (
	"context"
	"os/signal"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster"
	"github.com/punctual-go/punctual/cluster/embedded"
)

// wholeConfig is what a process is told that is a server and a worker in one.
type wholeConfig struct {
	Name   string
	Data   string // of the server
	Dir    string // of the journals
	Series bool   // A and B are series
	Again  string // the ID of A, in the next life
}

// serveWhole is the life of such a process. In the first, A and B work until they are told to end,
// B is cancelled, and C ends. In the next, whatever is run ends at once.
func serveWhole(c wholeConfig) error {
	j, err := openJournal(c.Dir, c.Name)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	server, err := embedded.Start(ctx, c.Data)
	if err != nil {
		return err
	}
	defer server.Close()
	conn, err := server.Conn()
	if err != nil {
		return err
	}
	pool, err := cluster.Join(ctx, conn, cluster.Workers(8), cluster.Grace(0))
	if err != nil {
		return err
	}
	began := make(chan struct{}, 100)
	free := make(chan struct{})
	task := cluster.Define("whole", func(ctx context.Context, name string) (string, error) {
		j.write(event{Kind: "start", Text: name})
		began <- struct{}{}
		switch {
		case c.Again != "":
		case name == "C":
			<-free
		default:
			<-ctx.Done()
		}
		return name, context.Cause(ctx)
	}, cluster.Lease(time.Second), cluster.Attempts(50))
	served := make(chan error, 1)
	go func() { served <- pool.Serve(ctx, task) }()
	if c.Again == "" {
		if err := cancelOneOf(ctx, c, pool, task, j, began, free); err != nil {
			return err
		}
	} else if !c.Series {
		v, err := cluster.Attach(pool, task, c.Again).Get(ctx)
		if err != nil {
			return err
		}
		j.write(event{Kind: "outcome", ID: c.Again, Text: v})
	}
	return <-served
}

// cancelOneOf begins A, B and C, in this order, cancels B, and has C end.
func cancelOneOf(
	ctx context.Context, c wholeConfig, pool *cluster.Pool, task cluster.Task[string, string],
	j *journal, began <-chan struct{}, free chan<- struct{},
) error {
	cancel := func() error { return nil }
	id := "A"
	for _, name := range []string{"A", "B"} {
		if c.Series {
			s, err := cluster.AtFixedRate(ctx, pool, name, 0, time.Second, task, name)
			if err != nil {
				return err
			}
			cancel = func() error { return s.Cancel(ctx) }
		} else {
			f, err := cluster.Submit(ctx, pool, task, name)
			if err != nil {
				return err
			}
			if name == "A" {
				id = f.ID()
			}
			cancel = func() error { _, err := f.Cancel(ctx); return err }
		}
		<-began
	}
	last, err := cluster.Submit(ctx, pool, task, "C")
	if err != nil {
		return err
	}
	<-began
	if err := cancel(); err != nil {
		return err
	}
	time.Sleep(200 * time.Millisecond) // B has ended
	close(free)
	if _, err := last.Get(ctx); err != nil {
		return err
	}
	time.Sleep(2 * time.Second) // two leases
	j.write(event{Kind: "cancelled", ID: id})
	return nil
}

// One works, another one is cancelled, a third one ends, and the process ends with its server: the
// first is run again. The server that was asked to take out the second by its subject forgot the
// first.
func TestACancelLosesNoOther(t *testing.T) {
	for name, series := range map[string]bool{"task": false, "series": true} {
		for how, end := range map[string]func(*process){
			"polite": func(p *process) { p.interrupt(); <-p.ended },
			"crash":  (*process).kill,
		} {
			t.Run(name+", "+how, func(t *testing.T) {
				t.Parallel()
				c := wholeConfig{Name: "first", Data: t.TempDir(), Dir: t.TempDir(), Series: series}
				first := startProcess(t, c.Name, asWhole, c, nil)
				was := await(t, c.Dir, func(e event) bool { return e.Kind == "cancelled" })
				end(first)
				c.Name, c.Again = "second", was.ID
				second := startProcess(t, c.Name, asWhole, c, nil)
				await(t, c.Dir, func(e event) bool {
					return e.Who == c.Name && e.Kind == "start" && e.Text == "A"
				})
				if !series {
					out := await(t, c.Dir, func(e event) bool { return e.Kind == "outcome" })
					require.Equal(t, "A", out.Text)
				}
				second.kill()
				for _, e := range readJournals(t, c.Dir) {
					require.False(t, e.Who == c.Name && e.Text == "B", "the cancelled one runs again")
				}
			})
		}
	}
}

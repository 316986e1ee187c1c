package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"syscall"
	"time"

	"github.com/punctual-go/punctual/cluster"
)

func death(size sizes) workload {
	return workload{
		name:  "death",
		title: "A killed worker",
		note: fmt.Sprintf("From `kill -9` of a worker process in a run until another begins the "+
			"second attempt; our lease is %v. The others are not measured.", size.lease),
		columns: []column{{title: "ms", ratio: true}},
		fits:    func(s system) bool { return s.name == "1 server" },
		measure: measureDeath,
		documented: []row{
			{"River", []string{"documented: RescueStuckJobsAfter 1 h, looked for every 30 s, and " +
				"then a retry delay"}},
			{"asynq", []string{"documented: a lease of 30 s and 30 s more, looked for every " +
				"minute, and then a retry delay of 15 to 45 s"}},
		},
	}
}

// worker is what a process is told that runs one task until it is killed.
type worker struct {
	Name, URL string
	Lease     time.Duration
}

// A sign is a line that a worker prints: "ready", or the number of an attempt that begins.
type sign struct {
	who  string
	text string
	at   time.Time
}

// victim is the task. The one who submits it does not run it.
func (w worker) victim() cluster.Task[int, int] {
	return cluster.Define("victim", func(ctx context.Context, _ int) (int, error) {
		run, _ := cluster.RunFrom(ctx)
		fmt.Println(run.Attempt)
		if run.Attempt == 1 {
			<-ctx.Done()
		}
		return run.Attempt, nil
	}, cluster.Lease(w.Lease))
}

// live is the life of a worker process.
func (w worker) live() error {
	ctx := context.Background()
	conn, err := connect(ctx, w.URL)
	if err != nil {
		return err
	}
	pool, err := cluster.Join(ctx, conn)
	if err != nil {
		return err
	}
	fmt.Println("ready")
	return pool.Serve(ctx, w.victim())
}

func measureDeath(ctx context.Context, t *trial) ([]float64, error) {
	ns, err := bootNodes(&site{dir: filepath.Join(t.site.dir, "server")}, 1)
	if err != nil {
		return nil, err
	}
	defer ns.halt()
	conn, err := connect(ctx, ns.url())
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	pool, err := cluster.Join(ctx, conn)
	if err != nil {
		return nil, err
	}
	signs := make(chan sign, 16)
	workers := map[string]*process{}
	for _, name := range []string{"A", "B"} {
		w := worker{Name: name, URL: ns.url(), Lease: t.sizes.lease}
		if workers[name], err = w.start(signs); err != nil {
			return nil, err
		}
		defer workers[name].end(syscall.SIGKILL)
		if _, err := expect(ctx, signs, "ready"); err != nil {
			return nil, err
		}
	}
	f, err := cluster.Submit(ctx, pool, worker{Lease: t.sizes.lease}.victim(), 0)
	if err != nil {
		return nil, err
	}
	first, err := expect(ctx, signs, "1")
	if err != nil {
		return nil, err
	}
	killed := time.Now()
	workers[first.who].end(syscall.SIGKILL)
	second, err := expect(ctx, signs, "2")
	if err != nil {
		return nil, err
	}
	if attempt, err := f.Get(ctx); err != nil || attempt != 2 {
		return nil, fmt.Errorf("the result is of attempt %d: %w", attempt, err)
	}
	return []float64{milliseconds(second.at.Sub(killed))}, nil
}

func (w worker) start(signs chan<- sign) (*process, error) {
	cmd, err := selfAs(asWorker, w)
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p, err := startProcess(cmd)
	if err == nil {
		go w.listen(out, signs)
	}
	return p, err
}

func (w worker) listen(out io.Reader, signs chan<- sign) {
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		signs <- sign{w.Name, lines.Text(), time.Now()}
	}
}

func expect(ctx context.Context, signs <-chan sign, text string) (sign, error) {
	select {
	case s := <-signs:
		if s.text != text {
			return s, fmt.Errorf("worker %s says %q instead of %q", s.who, s.text, text)
		}
		return s, nil
	case <-ctx.Done():
		return sign{}, fmt.Errorf("nobody says %q: %w", text, context.Cause(ctx))
	}
}

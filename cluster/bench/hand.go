package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

// hand configures a process that works for one of the systems until it is ended.
type hand struct {
	Number  int
	System  string
	Where   string
	Workers int
}

// A stint is the report of such a process about a task that it has run. Its first is of none.
type stint struct {
	Hand  int
	N     int // 0 says that the process is ready
	Took  time.Duration
	Ended time.Time
}

// live is the life of such a process.
func (h hand) live() error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	systems, err := choose(systems(), h.System, func(s system) string { return s.name })
	if err != nil {
		return err
	}
	out := &reporter{hand: h.Number, out: json.NewEncoder(os.Stdout)}
	s, err := systems[0].join(ctx, h.Where, &site{workers: h.Workers, body: out.work})
	if err != nil {
		return err
	}
	defer s.Close()
	out.tell(stint{})
	<-ctx.Done()
	return nil
}

type reporter struct {
	hand int

	mu  sync.Mutex
	out *json.Encoder
}

func (r *reporter) work(j job) {
	begun := time.Now()
	time.Sleep(j.Takes)
	now := time.Now()
	r.tell(stint{N: j.N, Took: now.Sub(begun), Ended: now})
}

func (r *reporter) tell(s stint) {
	s.Hand = r.hand
	r.mu.Lock()
	defer r.mu.Unlock()
	_ = r.out.Encode(s) // if nobody reads, nobody misses it
}

// start starts the process, and passes on what it tells.
func (h hand) start(stints chan<- stint) (*process, error) {
	cmd, err := selfAs(asHand, h)
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p, err := startProcess(cmd)
	if err == nil {
		go listen(out, stints)
	}
	return p, err
}

func listen(out io.Reader, stints chan<- stint) {
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		var s stint
		if json.Unmarshal(lines.Bytes(), &s) == nil {
			stints <- s
		}
	}
}

// nextStint is the next report, or why there is none.
func nextStint(ctx context.Context, stints <-chan stint, workers []*process) (stint, error) {
	for {
		select {
		case s := <-stints:
			return s, nil
		case <-ctx.Done():
			return stint{}, context.Cause(ctx)
		case <-time.After(time.Second):
		}
		for i, p := range workers {
			if err := p.gone(); err != nil {
				return stint{}, fmt.Errorf("worker %d: %w", i, err)
			}
		}
	}
}

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/punctual-go/punctual/cluster"
)

// story is what is told, and what the workers have reported.
type story struct {
	begun   time.Time
	workers map[string]*exec.Cmd
	inputs  []io.Closer
	readers sync.WaitGroup

	mu       sync.Mutex
	reports  []report
	fresh    *sync.Cond // a report has come
	outcomes map[string]int
}

func newStory() *story {
	s := &story{begun: time.Now(), workers: map[string]*exec.Cmd{}, outcomes: map[string]int{}}
	s.fresh = sync.NewCond(&s.mu)
	return s
}

func (s *story) tell(format string, args ...any) {
	fmt.Printf("%5.1f s  %s\n", time.Since(s.begun).Seconds(), fmt.Sprintf(format, args...))
}

// start starts a worker, which is this program again.
func (s *story) start(name, url string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	c := exec.Command(self)
	c.Env = append(os.Environ(), workerName+"="+name, workerURL+"="+url)
	c.Stderr = os.Stderr
	in, err := c.StdinPipe()
	if err != nil {
		return err
	}
	out, err := c.StdoutPipe()
	if err != nil {
		return err
	}
	if err := c.Start(); err != nil {
		return err
	}
	s.workers[name], s.inputs = c, append(s.inputs, in)
	s.readers.Go(func() { s.read(out) })
	return nil
}

func (s *story) read(out io.Reader) {
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		var r report
		if json.Unmarshal(lines.Bytes(), &r) != nil {
			continue // cut off, as its worker was
		}
		s.mu.Lock()
		s.reports = append(s.reports, r)
		s.fresh.Broadcast()
		s.mu.Unlock()
		switch {
		case strings.HasPrefix(r.What, "log: "):
			s.tell("%s: %s", r.Worker, strings.TrimPrefix(r.What, "log: "))
		case r.What == "start" && (r.Task == "sweep" || r.Attempt > 1):
			s.tell("%s: %s %d, attempt %d", r.Worker, r.Task, r.Number, r.Attempt)
		case r.What != "start" && r.What != "end":
			s.tell("%s: %s %d ends early: %s", r.Worker, r.Task, r.Number, r.What)
		}
	}
}

func (s *story) outcome(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.outcomes[id]++
}

// await returns the first report that is as wanted, and waits for it.
func (s *story) await(ctx context.Context, want func(report) bool) (report, error) {
	defer context.AfterFunc(ctx, s.fresh.Broadcast)()
	s.mu.Lock()
	defer s.mu.Unlock()
	for seen := 0; ; {
		for ; seen < len(s.reports); seen++ {
			if want(s.reports[seen]) {
				return s.reports[seen], nil
			}
		}
		if ctx.Err() != nil {
			return report{}, errors.New("what was to happen did not")
		}
		s.fresh.Wait()
	}
}

func startsSweep(r report, from uint64) bool {
	return r.What == "start" && r.Task == "sweep" && r.Number >= from
}

// trouble kills a worker in a sweep, and stops another in a later one until it has been replaced.
func (s *story) trouble(ctx context.Context) error {
	first, err := s.await(ctx, func(r report) bool { return startsSweep(r, 2) })
	if err != nil {
		return err
	}
	if err := s.workers[first.Worker].Process.Kill(); err != nil {
		return err
	}
	s.tell("%s is killed in sweep %d", first.Worker, first.Number)
	if _, err := s.await(ctx, func(r report) bool { return r.ID == first.ID && r.Attempt == 2 }); err != nil {
		return fmt.Errorf("sweep %d again: %w", first.Number, err)
	}
	second, err := s.await(ctx, func(r report) bool {
		return startsSweep(r, first.Number+2) && r.Worker != first.Worker
	})
	if err != nil {
		return err
	}
	p := s.workers[second.Worker].Process
	if err := stop(p); err != nil {
		return err
	}
	s.tell("%s is stopped in sweep %d", second.Worker, second.Number)
	if _, err := s.await(ctx, func(r report) bool { return startsSweep(r, second.Number+1) }); err != nil {
		return fmt.Errorf("the sweep after %d: %w", second.Number, err)
	}
	if err := goOn(p); err != nil {
		return err
	}
	s.tell("%s goes on, and has been replaced", second.Worker)
	if _, err := s.await(ctx, func(r report) bool {
		return r.Worker == second.Worker && strings.HasPrefix(r.What, "log: run left")
	}); err != nil {
		return fmt.Errorf("%s was not told that it is too late: %w", second.Worker, err)
	}
	_, err = s.await(ctx, func(r report) bool { return startsSweep(r, second.Number+3) })
	return err
}

// judge counts what was reported, and says what is not as promised.
func (s *story) judge() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	by, again, refused, last := map[string]int{}, 0, 0, uint64(0)
	sweeps := map[uint64]uint64{} // the fence of the last attempt of each
	for _, r := range s.reports {
		switch {
		case r.What == "start":
			by[r.Worker]++
			if r.Attempt > 1 {
				again++
			}
			if r.Task == "sweep" {
				if r.Fence <= sweeps[r.Number] || r.Fence <= sweeps[r.Number-1] {
					return fmt.Errorf("the fence of sweep %d does not grow", r.Number)
				}
				sweeps[r.Number], last = r.Fence, max(last, r.Number)
			}
		case strings.Contains(r.What, "refused"), r.What == "log: run left to another":
			refused++
		}
	}
	if int(last) != len(sweeps) {
		return fmt.Errorf("%d sweeps of %d were begun", len(sweeps), last)
	}
	if len(s.outcomes) != mails {
		return fmt.Errorf("%d of %d mails have an outcome", len(s.outcomes), mails)
	}
	fmt.Printf("\n%d mails accepted, %d outcomes: none lost, none twice\n", mails, len(s.outcomes))
	fmt.Printf("%d sweeps, none left out; %d runs begun again after their worker was gone\n", last, again)
	fmt.Printf("runs by worker: A %d, B %d, C %d; came too late and was refused: %d (%v)\n",
		by["A"], by["B"], by["C"], refused, cluster.ErrLost)
	return nil
}

// end ends the workers that are left.
func (s *story) end() {
	for _, in := range s.inputs {
		_ = in.Close()
	}
	for _, c := range s.workers {
		time.AfterFunc(5*time.Second, func() { _ = c.Process.Kill() })
	}
	s.readers.Wait()
	for _, c := range s.workers {
		_ = c.Wait() // one was killed
	}
}

package main

import (
	"context"
	"fmt"
	"sync"
)

// tally counts the tasks that have run, each once.
type tally struct {
	mu      sync.Mutex
	seen    map[int]bool
	goal    int
	reached chan struct{}
}

func newTally() *tally { return &tally{seen: map[int]bool{}} }

// aim sets how many more are to run. Nothing must be under way.
func (y *tally) aim(more int) {
	y.mu.Lock()
	defer y.mu.Unlock()
	y.goal, y.reached = len(y.seen)+more, make(chan struct{})
}

func (y *tally) count(j job) {
	y.mu.Lock()
	defer y.mu.Unlock()
	if y.seen[j.N] {
		return
	}
	y.seen[j.N] = true
	if len(y.seen) == y.goal {
		close(y.reached)
	}
}

// wait waits until so many have run as was aimed at.
func (y *tally) wait(ctx context.Context) error {
	select {
	case <-y.reached:
		return nil
	case <-ctx.Done():
		y.mu.Lock()
		defer y.mu.Unlock()
		return fmt.Errorf("%d of %d tasks have run: %w", len(y.seen), y.goal, context.Cause(ctx))
	}
}

package outbox_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/punctual-go/punctual/cluster"
)

// fake is a pool that knows keys again. It does not run tasks.
type fake struct {
	mu     sync.Mutex
	first  []cluster.Encoded // each key once, in the order of the first submission
	due    []time.Time       // of the same
	asked  []time.Time       // of all submissions
	again  int               // submissions of a key that was known
	keeps  time.Duration
	before func(cluster.Encoded) error // fails a submission
	after  func(cluster.Encoded) error // fails one that was stored
}

func (f *fake) Keeps() time.Duration { return f.keeps }

func (f *fake) SubmitEncoded(ctx context.Context, due time.Time, e cluster.Encoded) error {
	f.mu.Lock()
	f.asked = append(f.asked, time.Now())
	f.mu.Unlock()
	if f.before != nil {
		if err := f.before(e); err != nil {
			return err
		}
	}
	if ctx.Err() != nil {
		return cluster.ErrUnavailable
	}
	f.mu.Lock()
	if slices.ContainsFunc(f.first, func(o cluster.Encoded) bool { return o.Key == e.Key }) {
		f.again++
	} else {
		f.first = append(f.first, e)
		f.due = append(f.due, due)
	}
	f.mu.Unlock()
	if f.after != nil {
		return f.after(e)
	}
	return nil
}

// payloads are what was stored, in order.
func (f *fake) payloads() (all []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, e := range f.first {
		all = append(all, strings.Trim(string(e.Payload), `"`))
	}
	return all
}

func (f *fake) count() int { return len(f.payloads()) }

func (f *fake) repeated() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.again
}

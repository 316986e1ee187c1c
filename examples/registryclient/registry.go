package main

import (
	"context"
	"slices"
	"sync"
	"time"
)

// memory is a registry in memory that can hang.
type memory struct {
	mu      sync.Mutex
	hangs   bool
	renewed map[string]time.Time
	asked   map[string][]time.Duration // by kind of question
	begun   time.Time
}

func newMemory() *memory {
	return &memory{renewed: map[string]time.Time{}, asked: map[string][]time.Duration{}, begun: time.Now()}
}

// answer notes a question, and hangs until ctx ends if the registry does.
func (m *memory) answer(ctx context.Context, kind string, f func() error) error {
	m.mu.Lock()
	m.asked[kind] = append(m.asked[kind], time.Since(m.begun))
	hangs := m.hangs
	m.mu.Unlock()
	if hangs {
		<-ctx.Done()
		return context.Cause(ctx)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return f()
}

func (m *memory) Register(ctx context.Context, instance string) error {
	return m.answer(ctx, "register", func() error {
		m.renewed[instance] = time.Now()
		return nil
	})
}

func (m *memory) Renew(ctx context.Context, instance string) error {
	return m.answer(ctx, "renew", func() error {
		if at, ok := m.renewed[instance]; !ok || time.Since(at) > Lease {
			return ErrUnknown
		}
		m.renewed[instance] = time.Now()
		return nil
	})
}

func (m *memory) Cancel(ctx context.Context, instance string) error {
	return m.answer(ctx, "cancel", func() error {
		delete(m.renewed, instance)
		return nil
	})
}

func (m *memory) Fetch(ctx context.Context) (alive []string, err error) {
	err = m.answer(ctx, "fetch", func() error {
		alive = m.alive()
		return nil
	})
	return alive, err
}

func (m *memory) alive() (alive []string) {
	for instance, at := range m.renewed {
		if time.Since(at) <= Lease {
			alive = append(alive, instance)
		}
	}
	slices.Sort(alive)
	return alive
}

// questions returns when it was asked a kind of question.
func (m *memory) questions(kind string) []time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.asked[kind])
}

func (m *memory) hang(on bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.hangs = on
}

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/punctual-go/punctual/executor"
)

// Settings say how targets are probed.
type Settings struct {
	Period  time.Duration // between probes of one target
	Jitter  time.Duration // so that they do not all come at once; up to the period
	Timeout time.Duration // of one probe
	Rarest  time.Duration // a target that stays down is probed less and less, down to this
	Workers int           // probes at the same time
}

// Result is what the last probe of a target found.
type Result struct {
	At    time.Time     `json:"at"`
	Took  time.Duration `json:"took"`
	Error string        `json:"error,omitempty"`
}

// Monitor probes targets, and serves the last result of each over HTTP.
type Monitor struct {
	settings Settings
	client   *http.Client
	pool     *executor.ScheduledPool

	mu      sync.Mutex
	results map[string]Result
}

// NewMonitor makes a monitor without targets. Close it when it is no longer needed.
func NewMonitor(client *http.Client, s Settings) *Monitor {
	return &Monitor{
		settings: s,
		client:   client,
		pool: executor.NewScheduledPool(s.Workers, executor.Name("probes"),
			// A failed probe is a result, not news for the log.
			executor.ErrorHandler(func(context.Context, executor.Run, error) {})),
		results: map[string]Result{},
	}
}

// Watch probes a target from now on. One that is watched already is an error.
func (m *Monitor) Watch(url string) error {
	_, err := m.pool.AtFixedRate(0, m.settings.Period,
		func(ctx context.Context) error { return m.probe(ctx, url) },
		executor.Name(url), executor.Unique(),
		executor.CatchUp(executor.Coalesce), // after a stall one probe is enough
		executor.Jitter(m.settings.Jitter),
		executor.Timeout(m.settings.Timeout),
		executor.SlowDown(2, m.settings.Rarest))
	return err
}

// probe asks a target, and notes the result. ctx ends when the probe has taken too long.
func (m *Monitor) probe(ctx context.Context, url string) error {
	begun := time.Now()
	err := m.ask(ctx, url)
	r := Result{At: begun, Took: time.Since(begun)}
	if err != nil {
		r.Error = err.Error()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.results[url] = r
	return err
}

func (m *Monitor) ask(ctx context.Context, url string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	answer, err := m.client.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode >= 400 {
		return fmt.Errorf("answered %s", answer.Status)
	}
	return nil
}

// ServeHTTP writes the last result of each target as JSON.
func (m *Monitor) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	m.mu.Lock()
	text, err := json.MarshalIndent(m.results, "", "  ")
	m.mu.Unlock()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(text) // the client may have gone
}

// Down counts the targets whose last probe failed.
func (m *Monitor) Down() (down, all int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, r := range m.results {
		if r.Error != "" {
			down++
		}
	}
	return down, len(m.results)
}

// Close ends all series, waits until the probes under way have ended or ctx has, and reports.
func (m *Monitor) Close(ctx context.Context) (executor.Report, error) {
	return m.pool.CloseContext(ctx)
}

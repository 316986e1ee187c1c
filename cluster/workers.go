package cluster

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Worker is a process that serves, as it has last told. The JSON form of this and all other rows of
// lists has times as RFC 3339 and durations in nanoseconds.
type Worker struct {
	ID       string    `json:"id"`       // of this Serve; no other has it
	Instance string    `json:"instance"` // see the option [Instance]
	Version  string    `json:"version,omitzero"`
	Since    time.Time `json:"since"` // when Serve was called
	Told     time.Time `json:"told"`  // when it has last told; a worker that lives does each 5 s
	Tasks    []string  `json:"tasks"` // that it serves
	Size     int       `json:"size"`  // how many tasks it runs at once, see the option [Workers]
	Stopping bool      `json:"stopping,omitzero"`

	// Running are the runs that it is in, those that have begun first, at most 64 of them. Busy is
	// how many there are.
	Running []RunningRow `json:"running,omitempty"`
	Busy    int          `json:"busy"`
}

// RunningRow is a run that a worker is in.
type RunningRow struct {
	Task    string    `json:"task"`
	ID      string    `json:"id"` // [Run.ID]
	Series  string    `json:"series,omitzero"`
	Number  uint64    `json:"number,omitzero"`
	Attempt int       `json:"attempt"`
	Since   time.Time `json:"since"` // when the function was called, by the server's clock
}

const (
	workerPrefix = "worker."
	tellEvery    = 5 * time.Second
	toldFor      = 15 * time.Second // how long a worker is listed that tells nothing
	mostRunning  = 64               // rows in a worker's record
)

// register keeps the record of a worker, until the function is called that it returns.
func (w *worker) register(ctx context.Context) (unregister func()) {
	ctx, cancel := context.WithCancel(ctx)
	over := make(chan struct{})
	go func() {
		defer close(over)
		w.keepRecord(ctx)
	}()
	return func() {
		cancel()
		<-over
	}
}

// keepRecord writes the record of a worker until ctx ends, and then removes it. It is soon written
// again when the worker begins to stop.
func (w *worker) keepRecord(ctx context.Context) {
	stops := w.stops.Done()
	for ctx.Err() == nil {
		if err := w.tell(ctx, w.record()); err != nil && ctx.Err() == nil {
			w.pool.logger.Debug("the record of this worker not written", "pool",
				w.pool.settings.name, "error", err)
		}
		select {
		case <-time.After(tellEvery):
		case <-stops:
			stops = nil // once is enough
		case <-ctx.Done():
		}
	}
	over, cancel := context.WithTimeout(w.life, time.Second)
	defer cancel()
	_ = w.tell(over, nil) // if it fails it is forgotten in a while
}

// tell writes the record of a worker, or nil that there is none any more.
func (w *worker) tell(ctx context.Context, record *Worker) error {
	ctx, cancel := context.WithTimeout(ctx, tellEvery)
	defer cancel()
	_, nuid, _ := strings.Cut(w.id, "/")
	m := nats.NewMsg(w.pool.results.subject(workerPrefix + nuid))
	m.Header.Set(jetstream.MsgTTLHeader, toldFor.String())
	if record == nil {
		m.Header.Set("KV-Operation", "DEL")
	} else {
		var err error
		if m.Data, err = json.Marshal(record); err != nil {
			return err
		}
	}
	_, err := w.pool.js.PublishMsg(ctx, m)
	return err
}

// record is what the worker tells of itself.
func (w *worker) record() *Worker {
	r := &Worker{ID: w.id, Instance: w.pool.instance, Version: w.pool.version, Since: w.since,
		Tasks: w.served, Size: w.pool.workers, Stopping: w.stops.Err() != nil}
	for _, h := range w.leases.all() {
		began := h.beganAt()
		if began.IsZero() {
			continue
		}
		run := h.run()
		r.Running = append(r.Running, RunningRow{Task: h.task.name, ID: run.ID, Series: run.Series,
			Number: run.Number, Attempt: run.Attempt, Since: began})
	}
	slices.SortFunc(r.Running, func(a, b RunningRow) int { return a.Since.Compare(b.Since) })
	r.Busy = len(r.Running)
	r.Running = r.Running[:min(r.Busy, mostRunning)]
	return r
}

// Workers returns the processes that serve, in the order of their instances' names. What a worker
// says is up to five seconds old. One that has ended in order is not listed any more; one that has
// died is for up to fifteen seconds. Workers of earlier versions do not tell of themselves, and are
// not listed. It costs three requests. Errors are those of [Submit].
func (p *Pool) Workers(ctx context.Context) (list []Worker, err error) {
	err = p.list(ctx, "workers", func(ctx context.Context) error {
		list, err = p.allWorkers(ctx)
		return err
	})
	return list, err
}

func (p *Pool) allWorkers(ctx context.Context) ([]Worker, error) {
	list := []Worker{}
	v, err := p.view(ctx, p.kept, 1, scanned, false, p.results.subject(workerPrefix+"*"))
	if err != nil {
		return nil, err
	}
	defer v.close()
	for err == nil && v.pending > 0 {
		var records []seen
		records, err = v.next(ctx, scanned)
		for _, m := range records {
			if deleted(m.header) || p.age(m.stored) > toldFor {
				continue
			}
			var w Worker
			if err := json.Unmarshal(m.data, &w); err != nil {
				return nil, fmt.Errorf("cluster: the record of a worker that cannot be read: %w", err)
			}
			w.Told = m.stored
			list = append(list, w)
		}
	}
	slices.SortFunc(list, func(a, b Worker) int {
		return cmp.Or(strings.Compare(a.Instance, b.Instance), strings.Compare(a.ID, b.ID))
	})
	return list, err
}

package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/future"
)

// RanRow is a run of a series that has come to an end.
type RanRow struct {
	Number    uint64        `json:"number"`
	Scheduled time.Time     `json:"scheduled"`
	Began     time.Time     `json:"began,omitzero"` // zero for a run that was left out
	Took      time.Duration `json:"took"`
	Attempt   int           `json:"attempt"` // above 1 if workers have died in the run
	Instance  string        `json:"instance"`
	Before    string        `json:"before,omitzero"` // the instance that has died in it last, if known
	Triggered bool          `json:"triggered,omitzero"`
	Outcome   Outcome       `json:"outcome"`
	Error     string        `json:"error,omitzero"`
}

// Outcome is how a run of a series ended.
type Outcome string

// The outcomes of a run.
const (
	RunSucceeded Outcome = "succeeded"
	RunFailed    Outcome = "failed"
	RunPanicked  Outcome = "panicked"
	RunSkipped   Outcome = "skipped"   // its function has returned executor.ErrSkipped
	RunCancelled Outcome = "cancelled" // its series was, while it ran
	RunAbandoned Outcome = "abandoned" // its workers died at each of its attempts
	RunStopped   Outcome = "stopped"   // it has ended its series, see [Stop]
)

// The last runs of a series are one record in the bucket. It does not age, so that a yearly run is
// still there when the next comes; who sweeps removes records that nobody has written for
// forgetRan. The worker that ends a run adds it, beside storing what follows, which does not wait
// for it. So of a worker that is killed its last runs may be missing.
//
// It is no ring of keys, as the server goes through all that does not age whenever something else
// does, which is often.
const (
	ranPrefix     = "ran."
	mostRan       = 20
	longestReason = 300
	forgetRan     = 400 * 24 * time.Hour
	mostUnnoted   = 1024 // runs of this process that are not written yet
)

func ranKey(at place) string { return ranPrefix + at.tail }

// ran is the record of a series' last runs, the last one last.
type ran struct {
	Runs []RanRow `json:"runs"`
}

// add adds a run, in its place if the next has overtaken it, and drops the oldest.
func (r *ran) add(run RanRow) {
	i := len(r.Runs)
	for i > 0 && r.Runs[i-1].Number > run.Number && r.Runs[i-1].Scheduled.After(run.Scheduled) {
		i--
	}
	if i > 0 && r.Runs[i-1].Number == run.Number && r.Runs[i-1].Scheduled.Equal(run.Scheduled) {
		r.Runs[i-1] = run // stored before by this worker, or another that was lost
		return
	}
	r.Runs = append(r.Runs[:i:i], append([]RanRow{run}, r.Runs[i:]...)...)
	r.Runs = r.Runs[max(0, len(r.Runs)-mostRan):]
}

// ranAs is how a run has ended, as far as its worker knows.
func (h *held) ranAs(err error) RanRow {
	run := h.run()
	row := RanRow{Number: run.Number, Scheduled: run.Scheduled, Attempt: run.Attempt,
		Instance: h.worker.pool.instance, Before: instanceOf(h.before), Triggered: run.Triggered,
		Outcome: RunSucceeded}
	if row.Began = h.beganAt(); !row.Began.IsZero() {
		row.Took = max(h.worker.pool.now().Sub(row.Began), 0)
	}
	var panicErr *future.PanicError
	var end *stop
	switch {
	case err == nil:
		return row
	case errors.As(err, &end):
		row.Outcome = RunStopped
	case errors.As(err, &panicErr):
		row.Outcome = RunPanicked
		err = fmt.Errorf("%v", panicErr.Value)
	case errors.Is(err, executor.ErrSkipped):
		row.Outcome = RunSkipped
	default:
		row.Outcome = RunFailed
	}
	row.Error = short(err.Error())
	return row
}

// leftOut is a run that is given up, which this worker has not begun.
func (h *held) leftOut() RanRow {
	row := h.ranAs(nil)
	row.Outcome, row.Error = RunAbandoned, short(h.whyAbandoned())
	row.Attempt, row.Instance, row.Before = h.attempt-1, row.Before, ""
	return row
}

// keepCancelled notes a run whose series was cancelled while it was under way.
func (h *held) keepCancelled() {
	if h.link != nil && h.link.do == doRun && !h.beganAt().IsZero() {
		row := h.ranAs(nil)
		row.Outcome = RunCancelled
		h.worker.keepRan(h.at, row)
	}
}

func short(text string) string {
	if len(text) > longestReason {
		return strings.ToValidUTF8(text[:longestReason-3], "") + "..." // no half letters
	}
	return text
}

// keepRan adds a run to the record of its series. Nobody waits for it but the end of Serve.
func (w *worker) keepRan(at place, run RanRow) {
	w.noting.Add(1)
	if w.unnoted.Add(1) > mostUnnoted {
		w.unnoted.Add(-1)
		w.noting.Done()
		w.pool.logger.Debug("too many runs are not noted yet; this one is not", "pool",
			w.pool.settings.name, "id", at.id(), "number", run.Number)
		return
	}
	go func() {
		defer w.noting.Done()
		defer w.unnoted.Add(-1)
		ctx, cancel := context.WithTimeout(w.life, 30*time.Second)
		defer cancel()
		if err := w.pool.addRan(ctx, at, run); err != nil && w.life.Err() == nil {
			w.pool.logger.Warn("a run of a series not noted", "pool", w.pool.settings.name, "task",
				nameOf(at.task()), "series", at.seriesName(), "number", run.Number, "error", err)
		}
	}()
}

// awaitNoted waits until all runs are noted, but not for long.
func (w *worker) awaitNoted(most time.Duration) {
	noted := make(chan struct{})
	go func() {
		defer close(noted)
		w.noting.Wait()
	}()
	select {
	case <-noted:
	case <-time.After(most):
	}
}

// addRan adds a run to a record, which others may do at the same time.
func (p *Pool) addRan(ctx context.Context, at place, run RanRow) error {
	for {
		record, sequence, err := p.readRan(ctx, at)
		if err != nil {
			return err
		}
		record.add(run)
		m := nats.NewMsg(p.results.subject(ranKey(at)))
		if m.Data, err = record.within(p.longest() - 1024); err != nil {
			return err
		}
		m.Header.Set(jetstream.MsgTTLHeader, "never")
		m.Header.Set(jetstream.MsgIDHeader, nuid.Next())
		expect(m, m.Subject, sequence)
		if err := p.outcomes.publish(ctx, m); !conflict(err) {
			return err
		}
		if sleep(ctx, 2*time.Millisecond); ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
}

// within is the record as it is stored, without its oldest runs if the server takes so few bytes.
func (r *ran) within(most int64) ([]byte, error) {
	for {
		text, err := json.Marshal(r)
		if err != nil || len(r.Runs) <= 1 || most <= 0 || int64(len(text)) <= most {
			return text, err
		}
		r.Runs = r.Runs[1:]
	}
}

// readRan reads the record of a series, and which message it is.
func (p *Pool) readRan(ctx context.Context, at place) (r ran, sequence uint64, err error) {
	err = p.persist(ctx, "reading the last runs of a series", func(ctx context.Context) error {
		m, err := p.kept.GetLastMsgForSubject(ctx, p.results.subject(ranKey(at)))
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		sequence = m.Sequence
		if deleted(m.Header) {
			return nil
		}
		return json.Unmarshal(m.Data, &r)
	})
	return r, sequence, err
}

// forgetOld removes what was last written long ago, of keys with a prefix: the runs of series that
// have ended, and the audit.
func (p *Pool) forgetOld(ctx context.Context, prefix string, kept time.Duration) error {
	for {
		m, err := p.kept.GetMsg(ctx, 1, jetstream.WithGetMsgSubject(p.results.subject(prefix+">")))
		switch {
		case errors.Is(err, jetstream.ErrMsgNotFound):
			return nil
		case err != nil:
			return err
		case p.age(m.Time) < kept:
			return nil
		}
		d := nats.NewMsg(m.Subject)
		d.Header.Set("KV-Operation", "DEL")
		expect(d, d.Subject, m.Sequence)
		if _, err := p.publish(ctx, d); err != nil && !conflict(err) {
			return err
		}
	}
}

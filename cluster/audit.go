package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"
)

// AuditEntry says what was done to a pool by hand, and by whom. Commands of a series are noted by
// this package; a tool that acts for people notes the rest by [Pool.Note].
type AuditEntry struct {
	At     time.Time `json:"at"`               // by the server's clock
	By     string    `json:"by"`               // the Instance of the process that gave it
	Verb   string    `json:"verb"`             // pause, resume, trigger, cancel, redrive, discard
	Task   string    `json:"task,omitempty"`   // the name of the task
	Series string    `json:"series,omitempty"` // the name of the series
	ID     string    `json:"id,omitempty"`     // of a task that runs once
	Detail string    `json:"detail,omitempty"` // how many it were, or what has come of it
}

const (
	auditKept = 30 * 24 * time.Hour
	auditWait = 2 * time.Second
)

// Note puts an entry into the audit, where it is kept for thirty days, and on the log. Time and
// instance are filled in. Who has no right to write there has no entry; that is logged, and the
// command stands.
func (p *Pool) Note(ctx context.Context, c AuditEntry) {
	c.At, c.By = time.Time{}, p.instance
	p.logger.Info("command", "pool", p.settings.name, "by", c.By, "verb", c.Verb, "task", c.Task,
		"series", c.Series, "id", c.ID, "detail", c.Detail)
	m := nats.NewMsg(p.results.subject("audit." + nuid.Next()))
	m.Data, _ = json.Marshal(c) // of strings
	m.Header.Set(jetstream.MsgTTLHeader, auditKept.String())
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), auditWait)
	defer cancel()
	ctx, allowed := p.whileAllowed(ctx, m.Subject)
	defer allowed()
	if _, err := p.publish(ctx, m); err != nil {
		p.logger.Warn("a command is not in the audit", "pool", p.settings.name, "verb", c.Verb,
			"error", err)
	}
}

// Audit returns the last entries of the audit, at most so many, the oldest first. It reads all that
// is kept. Errors are those of [Submit].
func (p *Pool) Audit(ctx context.Context, most int) (list []AuditEntry, err error) {
	err = p.persist(ctx, "reading the audit", func(ctx context.Context) error {
		list, err = p.readAudit(ctx)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("cluster: pool %q: %w", p.settings.name, err)
	}
	return list[max(0, len(list)-max(most, 0)):], nil
}

func (p *Pool) readAudit(ctx context.Context) (list []AuditEntry, err error) {
	consumer, err := p.kept.CreateConsumer(ctx, jetstream.ConsumerConfig{
		FilterSubject:     p.results.subject("audit.>"),
		AckPolicy:         jetstream.AckNonePolicy,
		InactiveThreshold: time.Minute,
		MemoryStorage:     true,
		Replicas:          1,
	})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.kept.DeleteConsumer(ctx, consumer.CachedInfo().Name)) }()
	for left := int(consumer.CachedInfo().NumPending); left > 0; {
		batch, err := consumer.Fetch(min(left, 512), jetstream.FetchMaxWait(auditWait))
		if err != nil {
			return nil, err
		}
		came := 0
		for m := range batch.Messages() {
			came++
			if c, ok := readAuditEntry(m); ok {
				list = append(list, c)
			}
		}
		if left -= came; came == 0 {
			break // they have aged meanwhile
		}
	}
	slices.SortStableFunc(list, func(a, b AuditEntry) int { return a.At.Compare(b.At) })
	return list, nil
}

// readAuditEntry reads an entry; what cannot be read is of a later version.
func readAuditEntry(m jetstream.Msg) (c AuditEntry, ok bool) {
	meta, err := m.Metadata()
	if err != nil || json.Unmarshal(m.Data(), &c) != nil {
		return c, false
	}
	c.At = meta.Timestamp
	return c, true
}

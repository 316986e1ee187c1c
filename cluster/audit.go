package cluster

import (
	"context"
	"encoding/json"
	"fmt"
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

// An entry does not age, as the bucket's own age beats any that is longer: who sweeps removes it.
const (
	auditPrefix = "audit."
	auditKept   = 30 * 24 * time.Hour
	auditWait   = 2 * time.Second
)

// Note puts an entry into the audit, where it is kept for thirty days, and on the log. Time and
// instance are filled in: who it was is what the process says, and nothing that is proved. If it
// fails, that is logged as well, and the command stands. Errors are those of [Submit].
func (p *Pool) Note(ctx context.Context, e AuditEntry) error {
	e.At, e.By = time.Time{}, p.instance
	p.logger.Info("command", "pool", p.settings.name, "by", e.By, "verb", e.Verb, "task", e.Task,
		"series", e.Series, "id", e.ID, "detail", e.Detail)
	m := nats.NewMsg(p.results.subject(auditPrefix + nuid.Next()))
	m.Data, _ = json.Marshal(e) // of strings
	m.Header.Set(jetstream.MsgTTLHeader, "never")
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), auditWait)
	defer cancel()
	ctx, allowed := p.whileAllowed(ctx, m.Subject)
	defer allowed()
	if _, err := p.publish(ctx, m); err != nil {
		p.logger.Warn("a command is not in the audit", "pool", p.settings.name, "verb", e.Verb,
			"error", err)
		return fmt.Errorf("cluster: pool %q: the audit: %w", p.settings.name, err)
	}
	return nil
}

// Audit returns the last entries of the audit, at most so many, the oldest first. It reads all that
// is kept. Errors are those of [Submit].
func (p *Pool) Audit(ctx context.Context, most int) (list []AuditEntry, err error) {
	err = p.list(ctx, "the audit", func(ctx context.Context) error {
		list = []AuditEntry{}
		v, err := p.view(ctx, p.kept, 1, scanned, false, p.results.subject(auditPrefix+">"))
		if err != nil {
			return err
		}
		defer v.close()
		for err == nil && v.pending > 0 {
			var messages []seen
			messages, err = v.next(ctx, scanned)
			for _, m := range messages {
				e := AuditEntry{}
				if !deleted(m.header) && json.Unmarshal(m.data, &e) == nil { // else it is of a later version
					e.At = m.stored
					list = append(list, e)
				}
			}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return list[max(0, len(list)-max(most, 0)):], nil
}

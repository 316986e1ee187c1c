package cluster

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// The bucket has the names of all tasks that were ever submitted, declared or served, so that lists
// know what to ask for: what nobody serves has no consumer, and the server has no quick answer to
// which subjects there are. A process writes each name once, beside what it does, and does not
// mind if it may not.
type names struct {
	mu      sync.Mutex
	written map[string]bool
	refused bool // this process has no right to write them
}

// first tells whether a name is to be written.
func (n *names) first(name string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.written[name] || n.refused {
		return false
	}
	if n.written == nil {
		n.written = map[string]bool{}
	}
	n.written[name] = true
	return true
}

// again has a name written at the next occasion.
func (n *names) again(name string, refused bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.written, name)
	n.refused = n.refused || refused
}

const namesPrefix = "task."

// note writes a task's name, if that has not been done by this process. Nobody waits for it.
func (p *Pool) note(name string) {
	if !p.names.first(name) {
		return
	}
	go func() {
		ctx, cancel := context.WithTimeout(p.part.life, 10*time.Second)
		defer cancel()
		m := nats.NewMsg(p.results.subject(namesPrefix + token(name)))
		m.Header.Set(jetstream.MsgTTLHeader, "never")
		expect(m, m.Subject, 0)
		ctx, done := p.whileAllowed(ctx, m.Subject)
		defer done()
		_, err := p.js.PublishMsg(ctx, m)
		if err == nil || conflict(err) {
			return
		}
		p.names.again(name, errors.Is(context.Cause(ctx), ErrPermission))
		p.logger.Debug("the name of a task not written", "pool", p.settings.name, "task", name,
			"error", err)
	}()
}

// taskNames returns the names of all tasks that are known, in their order: those that were written,
// and those of consumers, which earlier versions have made.
func (p *Pool) taskNames(
	ctx context.Context, consumers []*jetstream.ConsumerInfo,
) ([]string, error) {
	prefix := p.results.subject(namesPrefix)
	info, err := p.kept.Info(ctx, jetstream.WithSubjectFilter(prefix+"*"))
	if err != nil {
		return nil, err
	}
	var list []string
	for subject := range info.State.Subjects {
		list = append(list, nameOf(strings.TrimPrefix(subject, prefix)))
	}
	for _, c := range consumers {
		if p.ofTask(c) {
			list = append(list, nameOf(c.Config.Durable))
		}
	}
	slices.Sort(list)
	return slices.Compact(list), nil
}

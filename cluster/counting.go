package cluster

import (
	"context"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// What waits of a task is counted by a consumer that nobody reads: the server keeps the number of
// messages that it would deliver. To make one costs the server a look at each of them, 0.3 s for a
// million; from then on it is a number. Who sweeps the queue makes those that are missing, and who
// lists. They are forgotten when the server starts anew, and a month after they were made; and two
// that are made while messages leave may be wrong by one of them.
const (
	countingSuffix = "=armed" // no task has such a token
	countingFor    = 30 * 24 * time.Hour
)

func countingName(task string) string { return token(task) + countingSuffix }

// counting makes or finds the consumer that counts what waits of a task.
func (p *Pool) counting(ctx context.Context, task string) (*jetstream.ConsumerInfo, error) {
	return p.makeConsumer(ctx, p.stream, jetstream.ConsumerConfig{
		Name:              countingName(task),
		Description:       "counts what waits of task " + task,
		FilterSubjects:    []string{p.on.armedOf(task)}, // see view
		DeliverPolicy:     jetstream.DeliverAllPolicy,
		AckPolicy:         jetstream.AckNonePolicy,
		HeadersOnly:       true,
		InactiveThreshold: countingFor,
		MemoryStorage:     true,
		Replicas:          1,
	})
}

// ofTask tells whether a consumer of the queue is that of a task, which its workers share.
func (p *Pool) ofTask(c *jetstream.ConsumerInfo) bool {
	name := c.Config.Durable
	return name != "" && c.Config.FilterSubject == p.on.prefix+"run."+name+".>"
}

// consumers returns all consumers of the queue.
func (p *Pool) consumers(ctx context.Context) (list []*jetstream.ConsumerInfo, err error) {
	all := p.stream.ListConsumers(ctx)
	for info := range all.Info() {
		list = append(list, info)
	}
	return list, all.Err()
}

// keepCounting makes the counting consumers that are missing among those of the queue.
func (p *Pool) keepCounting(ctx context.Context, consumers []*jetstream.ConsumerInfo) error {
	has := map[string]bool{}
	for _, c := range consumers {
		has[c.Name] = true
	}
	tasks, err := p.taskNames(ctx, consumers)
	for _, task := range tasks {
		if !has[countingName(task)] {
			if _, err := p.counting(ctx, task); err != nil {
				return err
			}
		}
	}
	return err
}

// countedBy is the token of the task that a counting consumer counts.
func countedBy(c *jetstream.ConsumerInfo) (task string, ok bool) {
	return strings.CutSuffix(c.Name, countingSuffix)
}

package move

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// Both sides change while they are compared: schedules become runs, each in one step that leaves
// their number at its place, and what is old enough expires. So the queue is counted by places, and
// the rest is counted at the source before and after it is at the destination.

// compare compares all streams, and returns a line on each.
func (m *move) compare(
	ctx context.Context, source []*jetstream.StreamInfo,
) (report []string, err error) {
	for _, s := range source {
		var line string
		for begun := time.Now(); ; {
			if line, err = m.compareStream(ctx, s.Config.Name); err == nil {
				break
			}
			if time.Since(begun) > m.patience || ctx.Err() != nil {
				return nil, fmt.Errorf("stream %s is not the same at %s and %s: %w", s.Config.Name,
					m.from.name, m.to.name, err)
			}
			time.Sleep(250 * time.Millisecond)
		}
		report = append(report, line)
	}
	return report, nil
}

func (m *move) compareStream(ctx context.Context, name string) (line string, err error) {
	count := byMessages
	if name == queueOf(m.pool) {
		count = byPlaces(m.pool)
	}
	before, err := m.from.census(ctx, name, count)
	if err != nil {
		return "", err
	}
	there, err := m.to.census(ctx, name, count)
	if err != nil {
		return "", err
	}
	after, err := m.from.census(ctx, name, count)
	if err != nil {
		return "", err
	}
	if err := there.between(before, after); err != nil {
		return "", err
	}
	if name != queueOf(m.pool) && there.state.LastSeq != after.state.LastSeq {
		return "", fmt.Errorf("the last sequence is %d there, and %d here", there.state.LastSeq,
			after.state.LastSeq)
	}
	consumers, err := m.compareConsumers(ctx, name, after, there)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%-28s %d messages, from %d to %d; %d consumers", name, there.state.Msgs,
		there.state.FirstSeq, there.state.LastSeq, consumers), nil
}

// census is what a stream has.
type census struct {
	state    jetstream.StreamState
	counts   map[string]uint64
	subjects map[string]uint64
}

func byMessages(subject string) string { return subject }

// byPlaces counts a schedule and the run that it becomes as the same.
func byPlaces(pool string) func(string) string {
	return func(subject string) string {
		_, at, _ := strings.Cut(strings.TrimPrefix(subject, "punctual."+pool+"."), ".")
		return at
	}
}

func (s *side) census(
	ctx context.Context, stream string, key func(string) string,
) (c census, err error) {
	handle, err := s.js.Stream(ctx, stream)
	if err != nil {
		return c, err
	}
	info, err := handle.Info(ctx, jetstream.WithSubjectFilter(">"))
	if err != nil {
		return c, err
	}
	c = census{state: info.State, subjects: info.State.Subjects, counts: map[string]uint64{}}
	for subject, n := range info.State.Subjects {
		c.counts[key(subject)] += n
	}
	return c, nil
}

// places counts what a queue has, by the places of its tasks and series.
func (s *side) places(ctx context.Context, pool string) (map[string]uint64, error) {
	c, err := s.census(ctx, queueOf(pool), byPlaces(pool))
	return c.counts, err
}

// between returns an error unless each count is one that the other side has had in between.
func (c census) between(before, after census) error {
	for at, n := range c.counts {
		if n > before.counts[at] {
			return fmt.Errorf("%s has %d messages there, and %d here", at, n, before.counts[at])
		}
	}
	for at, n := range after.counts {
		if n > c.counts[at] {
			return fmt.Errorf("%s has %d messages there, and %d here", at, c.counts[at], n)
		}
	}
	return nil
}

// compareConsumers returns how many durable consumers a stream has.
func (m *move) compareConsumers(
	ctx context.Context, stream string, here, there census,
) (n int, err error) {
	known, err := m.to.consumers(ctx, stream)
	if err != nil {
		return 0, err
	}
	byName := map[string]*jetstream.ConsumerInfo{}
	for _, c := range known {
		byName[c.Name] = c
	}
	consumers, err := m.from.consumers(ctx, stream)
	for _, c := range consumers {
		if byName[c.Name] == nil {
			return 0, fmt.Errorf("consumer %s is missing there", c.Name)
		}
		if err := sameConsumer(c, byName[c.Name], here, there); err != nil {
			return 0, fmt.Errorf("consumer %s: %w", c.Name, err)
		}
	}
	return len(consumers), err
}

// sameConsumer compares what a consumer would still deliver: all that its subject has, but for what
// it takes for acknowledged by a fault of the server. How much it has delivered is not the same on
// both sides: a restored one begins to count anew if all that it has delivered is gone, and a
// cluster's snapshot takes what is out for not delivered.
func sameConsumer(here, there *jetstream.ConsumerInfo, hereHas, thereHas census) error {
	if a, b := forgotten(here, hereHas), forgotten(there, thereHas); a != b {
		return fmt.Errorf("it passes over %d messages there, and %d here", b, a)
	}
	return nil
}

// forgotten is how many messages of a consumer's subject it neither has out nor would deliver.
func forgotten(c *jetstream.ConsumerInfo, has census) int64 {
	all := int64(0)
	prefix := strings.TrimSuffix(c.Config.FilterSubject, ">")
	for subject, n := range has.subjects {
		if strings.HasPrefix(subject, prefix) {
			all += int64(n)
		}
	}
	return all - int64(c.NumPending) - int64(c.NumAckPending)
}

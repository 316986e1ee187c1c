package shards

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The alarm is how a submission wakes those who wait for the earliest head of all shards. A pool
// says for which head it waits; a submission reads that, and mostly need do no more.
//
//	armed for t -> armed for an earlier time   a submission has told the pool
//	armed for t -> armed for a later time      what it was armed for is gone: the pool looks again
//
// A submission that comes between the look at its head and the step to a later time has compared
// itself with the earlier one, and told nobody; so the pool looks once more after that step.
//
// A word that is no later than any head spares the pool most looks at them. A submission lowers it
// after it has published its head; the pool raises it to what it has seen, and looks once more, as a
// submission may have lowered it before that.
type alarm struct {
	fault    alarmFault
	heads    []int64
	earliest int64
	armed    int64
	woken    bool
}

type alarmFault int

const (
	soundAlarm   alarmFault = iota
	looksOnce               // the pool does not look again
	readsBefore             // a submission reads the alarm before it publishes its head
	raises                  // the pool does not look again after it has raised the word
	lowersBefore            // a submission lowers the word before it publishes its head
	alarmFaults
)

// publish is the end of a submission.
func (a *alarm) publish(s *Steps, shard int, when int64) {
	s.Next(&a.armed)
	before := a.armed
	if a.fault == lowersBefore {
		a.lower(s, when)
	}
	s.Next(&a.heads[shard])
	a.heads[shard] = min(a.heads[shard], when)
	if a.fault != lowersBefore {
		a.lower(s, when)
	}
	s.Next(&a.armed)
	armed := a.armed
	if a.fault == readsBefore {
		armed = before
	}
	if when < armed {
		s.Next(&a.woken)
		a.woken = true
	}
}

// lower has the word say that there is a head for the given time.
func (a *alarm) lower(s *Steps, when int64) {
	for {
		s.Next(&a.earliest)
		known := a.earliest
		if known <= when {
			return
		}
		s.Next(&a.earliest)
		if a.earliest == known {
			a.earliest = when
			return
		}
	}
}

// first returns the earliest head. It looks at the heads if there is one at all.
func (a *alarm) first(s *Steps) int64 {
	s.Next(&a.earliest)
	known := a.earliest
	if known == never {
		return never
	}
	if first := a.look(s); first > known {
		s.Next(&a.earliest)
		a.earliest = first
		if a.fault != raises {
			a.lower(s, a.look(s))
		}
	}
	s.Next(&a.earliest)
	return a.earliest
}

func (a *alarm) look(s *Steps) int64 {
	earliest := int64(never)
	for i := range a.heads {
		s.Next(&a.heads[i])
		earliest = min(earliest, a.heads[i])
	}
	return earliest
}

// lead sets the alarm for the earliest head. If it was woken meanwhile, it does not sleep.
func (a *alarm) lead(s *Steps) {
	for {
		earliest := a.first(s)
		s.Next(&a.armed) // which nobody else writes
		before := a.armed
		a.armed = earliest
		if earliest <= before || a.fault == looksOnce {
			return
		}
	}
}

func (a *alarm) check() error {
	for _, head := range a.heads {
		if head < a.earliest {
			return errors.New("a head is forgotten")
		}
		if head < a.armed && !a.woken {
			return errors.New("the leader sleeps too long")
		}
	}
	return nil
}

func alarmed(f alarmFault) func() World {
	return func() World {
		a := &alarm{fault: f, heads: []int64{500, never}, earliest: 100, armed: 100}
		return World{
			Actors: []Actor{
				actor("leader", a.lead),
				actor("a", func(s *steps) { a.publish(s, 0, 300) }),
				actor("b", func(s *steps) { a.publish(s, 1, 200) }),
			},
			Check: a.check,
		}
	}
}

func TestTheLeaderSleepsForNoneTooLong(t *testing.T) {
	t.Parallel()
	orders, err := Explore(alarmed(soundAlarm))
	require.NoError(t, err)
	t.Logf("%d orders", orders)
	for f := soundAlarm + 1; f < alarmFaults; f++ {
		_, err := Explore(alarmed(f))
		assert.Error(t, err, "fault %d is not found", f)
	}
}

package shards

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The alarm is how a submission wakes the one worker that waits for the earliest head of all
// shards. That one writes for when it has set its alarm; a submission reads it, and mostly need do
// no more. Its states:
//
//	looking -> armed    nothing that the leader has seen is earlier
//	armed   -> looking  a submission is earlier, and wakes it
//
// While it looks it is armed for never, so whatever is published meanwhile wakes it.
type alarm struct {
	fault alarmFault
	heads []int64
	armed int64
	woken bool
}

type alarmFault int

const (
	soundAlarm  alarmFault = iota
	armsAfter              // the leader is not armed while it looks
	readsBefore            // a submission reads the alarm before it publishes its head
	alarmFaults
)

// publish is the end of a submission.
func (a *alarm) publish(s *Steps, shard int, when int64) {
	s.Next(&a.armed)
	before := a.armed
	s.Next(&a.heads[shard])
	a.heads[shard] = min(a.heads[shard], when)
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

// lead sets the alarm for the earliest head. If it was woken meanwhile, it does not sleep.
func (a *alarm) lead(s *Steps) {
	if a.fault != armsAfter {
		s.Next(&a.armed)
		a.armed = never
	}
	earliest := int64(never)
	for i := range a.heads {
		s.Next(&a.heads[i])
		earliest = min(earliest, a.heads[i])
	}
	s.Next(&a.armed)
	a.armed = earliest
}

func (a *alarm) check() error {
	for _, head := range a.heads {
		if head < a.armed && !a.woken {
			return errors.New("the leader sleeps too long")
		}
	}
	return nil
}

func alarmed(f alarmFault) func() World {
	return func() World {
		a := &alarm{fault: f, heads: []int64{500, never}, armed: 100}
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

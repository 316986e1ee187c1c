package cluster

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"reflect"
	"time"
)

// Rate bounds how often runs of the task begin, in all processes together, for each key that key
// tells of a payload; a nil key is one key for all. A key that has rested may begin n runs at once,
// and then one each time that per/n has passed: so over a long time n in each per, and in no span of
// that length more than 2n, but for what a busy process begins late. Unlike executor.Pace it allows
// for bursts; Rate(1, per/n, key) has none.
//
// A run that has to wait gets a time of its own, and waits for it in the server like any task that
// is scheduled: it occupies no worker, and no other key waits for its time. Its [Run.Scheduled]
// stays what it was. One that is cancelled while it waits leaves its time unused. Each attempt
// counts, those of [Retry] and those after a lost worker too; the attempts of executor.Retry are
// one. A run that comes too late for its time, as no worker was free, waits for another, behind
// those that are late as well; and then a time passes unused. Each run is looked at when it first
// comes, in the order of the queue, so what comes behind a great many of one key waits until they
// have their times.
//
// Runs of a series are not bounded by it, and do not count. All replicas should agree on n, per and
// key: each goes by its own. P is the type of the task's payload. [Keep] has to be twice per at
// least. Each run costs the server one write more, and one that waits three.
func Rate[P any](n int, per time.Duration, key func(P) string) TaskOption {
	return func(t *definition) {
		t.rate = &rate{n: n, per: per, of: reflect.TypeFor[P]()}
		if key == nil {
			t.rate.key = func(Codec, []byte) (string, error) { return "", nil }
			return
		}
		t.rate.key = func(c Codec, payload []byte) (string, error) {
			var in P
			if err := c.Unmarshal(payload, &in); err != nil {
				return "", err
			}
			return key(in), nil
		}
	}
}

// rate is how often runs may begin.
type rate struct {
	n   int
	per time.Duration
	of  reflect.Type // the payloads of key
	key func(Codec, []byte) (string, error)
}

func (r *rate) check(task string, payload reflect.Type) error {
	switch {
	case r.n < 1:
		return fmt.Errorf("%w: task %q: Rate of %d runs", ErrInvalid, task, r.n)
	case r.per <= 0:
		return fmt.Errorf("%w: task %q: Rate in a span of %v", ErrInvalid, task, r.per)
	case r.per/time.Duration(r.n) < time.Microsecond:
		return fmt.Errorf("%w: task %q: Rate of %d runs in %v, which is more than one in a microsecond",
			ErrInvalid, task, r.n, r.per)
	case r.of != payload:
		return fmt.Errorf("%w: task %q: Rate has a key of %v, and the payload is %v",
			ErrInvalid, task, r.of, payload)
	}
	return nil
}

// gap is the time between two runs of a key that does not rest.
func (r *rate) gap() time.Duration {
	n := time.Duration(r.n)
	return (r.per + n - 1) / n
}

// next is when a run may begin that could at t, after those by which the key is busy until a time;
// and until when it is busy then. It is the generic cell rate algorithm: each run takes a gap, of
// which so many may be taken in advance.
func (r *rate) next(busy, t time.Time) (at, until time.Time) {
	until = later(busy, t).Add(r.gap())
	return later(t, until.Add(-time.Duration(r.n)*r.gap())), until
}

// tooLate tells whether a run has missed its time by so much that others may have theirs by now.
func (r *rate) tooLate(at, now time.Time) bool {
	return now.Sub(at) > max(r.gap(), 50*time.Millisecond)
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// rateKey is where the record of a payload's key is. A key may be long, and is not for all who
// may look at the pool to read.
func (t *definition) rateKey(payload []byte) (where string, err error) {
	var key string
	fault := callUser(func() { key, err = t.rate.key(t.codec, payload) })
	if fault != nil {
		return "", fmt.Errorf("cluster: the key of Rate of task %q: %v", t.name, fault) // no panic of the task
	}
	if err != nil {
		return "", nil //nolint:nilerr // what cannot be decoded is given up, see Define
	}
	sum := sha256.Sum256([]byte(key))
	return "rate." + token(t.name) + "." + hex.EncodeToString(sum[:16]), nil
}

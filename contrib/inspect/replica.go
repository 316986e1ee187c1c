package inspect

import (
	"errors"
	"slices"
	"time"
)

// replica is a process, as far as it is known.
//
//	unknown     -> up      it answers
//	unknown, up -> silent  it does not answer, or not as a page does
//	silent      -> up      it answers again
//	silent      -> gone    nothing has answered there for a while
//	up, silent  -> gone    its address is none any more, or another process has it
//	gone        -> up      it answers again
type replica struct {
	id       string    // in addresses
	address  string    // of its page
	has      *record   // what it had when it last answered; nil if it never has
	answered time.Time // when that was
	trouble  string    // why it does not answer now; "" if it does
	since    time.Time // from when on it does not, or is gone
	there    bool      // it answers, but not as a page does
	why      string    // it is gone; "" if it is not
}

// The states of a replica.
const (
	replicaUnknown = "asked"
	replicaUp      = "up"
	replicaSilent  = "silent"
	replicaGone    = "gone"
)

// goneAfter is for how long a process may be silent.
const goneAfter = 15 * time.Second

func (r *replica) state(now time.Time) string {
	switch {
	case r.why != "":
		return replicaGone
	case r.trouble != "" && !r.there && r.has != nil && now.Sub(r.answered) >= goneAfter:
		return replicaGone
	case r.trouble != "":
		return replicaSilent
	case r.has == nil:
		return replicaUnknown
	}
	return replicaUp
}

// answeredLocked takes what a member has answered, or why it has not.
func (f *Fleet) answeredLocked(m *member, rec *record, err error, now time.Time) {
	if m.left {
		return
	}
	f.version++
	r := &m.now
	if err != nil {
		if r.trouble == "" {
			r.since = now
		}
		var odd oddAnswer
		r.trouble, r.there = troubleOfClient(err), errors.As(err, &odd)
		return
	}
	if r.has != nil && r.has.Process.Instance != rec.Process.Instance {
		f.goneLocked(*r, now, "another process has its address")
		r.has = nil
	}
	id := hashed(m.url + "\n" + string(rec.Process.Instance))
	if r.has == nil {
		r.has = f.backLocked(id)
	}
	if r.has != nil {
		rec.remember(r.has)
	}
	*r = replica{id: id, address: m.url, has: rec, answered: now}
}

// What is kept of processes that are gone, at most.
const (
	mostGone        = 100
	mostGoneAt      = 8        // one address
	mostGoneAnswers = 32 << 20 // bytes of answers
)

// goneLocked keeps what a process had that is gone.
func (f *Fleet) goneLocked(r replica, now time.Time, why string) {
	if r.has == nil {
		return
	}
	r.why = why
	if r.since.IsZero() {
		r.since = now
	}
	f.gone = slices.Insert(f.gone, 0, r)
	here, all, size := 0, 0, 0
	f.gone = slices.DeleteFunc(f.gone, func(g replica) bool {
		if g.address == r.address {
			here++
		}
		all++
		size += g.has.size
		return g.address == r.address && here > mostGoneAt || all > mostGone || size > mostGoneAnswers
	})
}

// backLocked returns what a process had that was gone, and is not.
func (f *Fleet) backLocked(id string) *record {
	i := slices.IndexFunc(f.gone, func(g replica) bool { return g.id == id })
	if i < 0 {
		return nil
	}
	has := f.gone[i].has
	f.gone = slices.Delete(f.gone, i, i+1)
	return has
}

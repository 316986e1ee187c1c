package series

import "time"

// Outlook is what a calendar says of the slots after one. It has been asked without the lock, so
// whoever uses it checks under the lock that the slot is still the one that it begins with.
type Outlook struct {
	slot time.Time // it begins with

	first time.Time // the slot that follows, or zero if none does
	past  uint64    // how many slots have passed since, up to a limit
	last  time.Time // the last of these, or slot
	ahead time.Time // the first that has not passed, or zero

	// With a jitter, the slots after first and ahead, or zero.
	afterFirst, afterAhead time.Time

	// Cut says that the end of the series has left something out.
	Cut bool
}

// Latest returns the last slot that has passed, of which a run would be late that stands for all.
func (o *Outlook) Latest() time.Time { return o.last }

// Question is what an outlook is wanted of.
type Question struct {
	calendar    Calendar
	slot, base  time.Time
	until       time.Time
	now         time.Time // slots before this have passed
	inclusively bool      // and one at this time, too
	corrects    bool
	jitter      bool
	window      time.Duration // how long after its slot a run may be planned that has not passed
	cut         *bool
}

// WithWindows has a slot pass only when no time is left in its window, which the jitter makes.
func (q Question) WithWindows(s *Series) Question {
	q.window = time.Duration(s.window())
	return q
}

// countLimit is how many slots that have passed are counted one by one.
const countLimit = 10_000

// Answer asks the calendar. It calls user code, so the lock must not be held.
func (q Question) Answer() (o Outlook, err error) {
	q.cut = new(bool)
	if o, err = q.answer(); err != nil || !q.jitter {
		o.Cut = *q.cut
		return o, err
	}
	o.Cut = *q.cut
	if o.afterFirst, err = q.follower(o.first); err != nil {
		return o, err
	}
	o.afterAhead, err = q.follower(o.ahead)
	return o, err
}

func (q Question) answer() (o Outlook, err error) {
	o = Outlook{slot: q.slot, last: q.slot}
	if o.first, err = q.next(q.base); err != nil {
		return o, err
	}
	for o.ahead = o.first; ; {
		passed, err := q.passed(o.ahead)
		if err != nil || !passed {
			return o, err
		}
		o.last = o.ahead
		if o.past++; o.past == countLimit {
			return o, q.leap(&o)
		}
		if o.ahead, err = q.next(o.ahead); err != nil {
			return o, err
		}
	}
}

// passed reports whether a slot has passed.
func (q Question) passed(t time.Time) (bool, error) {
	if t.IsZero() || !t.Before(q.now) && !(q.inclusively && t.Equal(q.now)) {
		return false, nil
	}
	if q.window == 0 || t.Add(q.window).Before(q.now) ||
		!q.until.IsZero() && !q.now.Before(q.until) {
		return true, nil
	}
	next, err := q.follower(t) // where its window ends at the latest
	return !next.IsZero() && !next.After(q.now), err
}

// follower returns the slot after another; zero if there is none.
func (q Question) follower(t time.Time) (time.Time, error) {
	if t.IsZero() {
		return t, nil
	}
	return q.next(t)
}

// next asks for the next slot, and refuses an answer that would lead nowhere.
func (q Question) next(after time.Time) (time.Time, error) {
	if q.calendar == nil { // the series has ended
		return time.Time{}, nil
	}
	t := q.calendar.Next(after)
	switch {
	case t.IsZero():
		return t, nil
	case !t.After(after):
		return t, ErrCalendar
	}
	t = t.Round(0)
	if !q.until.IsZero() && !t.Before(q.until) {
		*q.cut = true
		return time.Time{}, nil
	}
	return t, nil
}

// leap finds the slots around the present by bisection, as those that have passed are too many to
// be counted. It begins with one that has passed.
func (q Question) leap(o *Outlook) (err error) {
	for until := q.now; ; { // the slot after until has not passed
		if o.ahead, err = q.next(o.last); err != nil {
			return err
		}
		if passed, err := q.passed(o.ahead); err != nil || !passed {
			return err
		}
		middle := o.last.Add(until.Sub(o.last) / 2)
		t, err := q.next(middle)
		if err != nil {
			return err
		}
		passed, err := q.passed(t)
		switch {
		case err != nil:
			return err
		case passed:
			o.last = t
		default:
			until, o.last = middle, o.ahead
		}
	}
}

// Corrects reports whether the clock has been set back so that the waiting run has another slot.
func (q Question) Corrects() bool { return q.corrects }

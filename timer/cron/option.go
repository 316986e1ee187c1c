package cron

import (
	"errors"
	"fmt"
	"hash/fnv"
	"time"

	"github.com/punctual-go/punctual/internal/civil"
)

// Option changes what a line means.
type Option func(*civil.Settings) error

// GapPolicy says what becomes of a time that the clocks of the zone leave out, see [Gap]. It is
// the same type as GapPolicy of package calendar.
type GapPolicy = civil.Gap

// What becomes of the times in a gap.
const (
	After GapPolicy = civil.After // one run at the first instant after the gap, for all of them
	Skip  GapPolicy = civil.Skip  // they are left out
)

// RepeatPolicy says which run of a time counts that comes twice, see [Repeat]. It is
// the same type as RepeatPolicy of package calendar.
type RepeatPolicy = civil.Repeat

// Which of the instants count that show the same time.
const (
	First RepeatPolicy = civil.First
	Last  RepeatPolicy = civil.Last
	Both  RepeatPolicy = civil.Both
)

// Gap says what becomes of fixed times that do not exist because the clocks are put forward, as
// 02:30 on a night in March. By default they are not lost: one run at the first instant after the
// gap stands for all of them.
//
// A line whose second, minute or hour begins with a star is like an interval, and this does not
// concern it: it runs whenever the clock shows one of its times, so "*/15 * * * *" stays a quarter
// of an hour.
func Gap(p GapPolicy) Option {
	return func(s *civil.Settings) error {
		if p > Skip {
			return fmt.Errorf("cron: no policy for gaps has the number %d", p)
		}
		s.Gap = p
		return nil
	}
}

// Repeat says which instants count for fixed times that come twice because the clocks are put back.
// By default it is the first. It does not concern lines that are like an interval, see [Gap].
func Repeat(p RepeatPolicy) Option {
	return func(s *civil.Settings) error {
		if p > Both {
			return fmt.Errorf("cron: no policy for repeated times has the number %d", p)
		}
		s.Repeat = p
		return nil
	}
}

// Zone gives the line a zone. One in the line itself, as in "CRON_TZ=Europe/Berlin 0 3 * * *", goes
// first. Without either, a time is that of the location of the time that Next is asked about;
// package executor asks in [time.Local].
func Zone(zone *time.Location) Option {
	return func(s *civil.Settings) error {
		if zone == nil {
			return errors.New("cron: the zone is nil")
		}
		s.Zone = zone
		return nil
	}
}

// Splay puts off every time by the same part of a window, which depends on the name alone: jobs
// with the same line do not start together, and each keeps its time over restarts and on all
// machines. The part is a whole number of seconds. A line with @every has no times of its own to
// put off, so this does not concern it.
func Splay(name string, window time.Duration) Option {
	return func(s *civil.Settings) error {
		if window <= 0 {
			return fmt.Errorf("cron: the window of the splay of %q is %v; it must be more than 0",
				name, window)
		}
		sum := fnv.New64a()
		sum.Write([]byte(name))
		s.Splay = time.Duration(mixed(sum.Sum64()) % uint64(window)).Truncate(time.Second)
		return nil
	}
}

// mixed spreads a sum over all bits: names that differ in the last letter only have sums that are
// close to each other. The constants are those of the finalizer of MurmurHash3.
func mixed(sum uint64) uint64 {
	sum = (sum ^ sum>>33) * 0xff51afd7ed558ccd
	sum = (sum ^ sum>>33) * 0xc4ceb9fe1a85ec53
	return sum ^ sum>>33
}

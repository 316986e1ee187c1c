package inspect

import "time"

// moment is a time of a schedule, with its zone.
type moment struct {
	At    time.Time     `json:"at"`   // in the zone of the schedule
	Zone  text          `json:"zone"` // what that is called then, such as CEST
	Clock []clockChange `json:"clock,omitempty"`

	Run    uint64 `json:"run,omitzero"`    // of a time that has passed: the number of its run
	NoRun  bool   `json:"no_run,omitzero"` // it is known that there was none
	Before bool   `json:"before_this_process,omitzero"`
}

// in returns a time as a zone shows it, if there is one. What JSON cannot write is shown in UTC:
// users' zones may be days away from that.
func in(t time.Time, zone *time.Location) time.Time {
	if t.IsZero() {
		return t
	}
	t = t.Round(0).In(zone)
	if _, offset := t.Zone(); max(offset, -offset) >= 24*60*60 {
		t = t.UTC()
	}
	return t
}

// newMoment returns a time as a zone shows it.
func newMoment(t time.Time, zone *time.Location) moment {
	t = in(t, zone)
	return moment{At: t, Zone: zoneAt(t)}
}

// zoneAt returns what the zone of a time is called then: anything at all, if it is the user's.
func zoneAt(t time.Time) text {
	name, _ := t.Zone()
	if name == "" {
		name = t.Format("-07:00")
	}
	return text(name)
}

// writable reports whether JSON can have a time.
func writable(t time.Time) bool { return t.Year() > 1 && t.Year() < 9999 }

// Datetime is the time for programs.
func (m moment) Datetime() string { return m.At.Format(time.RFC3339) }

// String is the time for people.
func (m moment) String() string {
	return m.At.Format("Mon 2006-01-02 15:04:05 ") + m.Zone.String()
}

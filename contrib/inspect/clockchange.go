package inspect

import (
	"fmt"
	"time"
)

// clockChange is what a change of the clock has to do with a time. It is found out from the offsets
// of zones alone, so it holds for any calendar.
type clockChange struct {
	Kind  string `json:"kind"` // offset, gap, first or second
	Words string `json:"words"`
}

// markClockChanges notes at each of the times, which are in order, what changes of the clock have
// to do with it.
func markClockChanges(times []moment) {
	for i := range times {
		t := times[i].At
		var marks []clockChange
		if i > 0 {
			marks = offsetChange(times[i-1].At, t)
		}
		marks = append(marks, gapBefore(t, times)...)
		times[i].Clock = append(marks, repeated(t)...)
	}
}

// offsetChange tells of another offset than the one before.
func offsetChange(before, t time.Time) []clockChange {
	_, was := before.Zone()
	_, is := t.Zone()
	if was == is {
		return nil
	}
	return []clockChange{{"offset", fmt.Sprintf("%s from here on, %s before", offsetText(t),
		offsetText(before))}}
}

// offsetText returns an offset as UTC+2, UTC−3:30.
func offsetText(t time.Time) string {
	_, offset := t.Zone()
	sign := "+"
	if offset < 0 {
		sign, offset = "−", -offset
	}
	text := fmt.Sprintf("UTC%s%d", sign, offset/3600)
	if rest := offset % 3600; rest != 0 {
		text += fmt.Sprintf(":%02d", rest/60)
	}
	return text
}

// gapBefore tells of a time that is the first instant after a gap, if others of the times fall into
// that gap on their days: this one stands for them.
func gapBefore(t time.Time, times []moment) []clockChange {
	start, _ := t.ZoneBounds()
	if start.IsZero() || !t.Equal(start) {
		return nil
	}
	_, is := t.Zone()
	last := t.Add(-1)
	_, was := last.Zone()
	gap := time.Duration(is-was) * time.Second
	left := t.In(time.FixedZone("", is)).Add(-gap) // what the clock shows when the gap begins
	from := timeOfDay(left)
	for _, other := range times {
		into := (timeOfDay(other.At) - from) % day
		if into < 0 {
			into += day
		}
		if into < gap && !other.At.Equal(t) && timeOfDay(other.At) != timeOfDay(t) {
			shows := "15:04"
			if gap >= day {
				shows = "2 Jan 15:04"
			}
			return []clockChange{{"gap", fmt.Sprintf("the clock goes from %s to %s: stands for %s",
				left.Format(shows), t.Format(shows), other.At.Format("15:04"))}}
		}
	}
	return nil
}

const day = 24 * time.Hour

func timeOfDay(t time.Time) time.Duration {
	h, m, s := t.Clock()
	return time.Duration(h)*time.Hour + time.Duration(m)*time.Minute + time.Duration(s)*time.Second
}

// repeated tells of a time that the clock shows twice.
func repeated(t time.Time) []clockChange {
	start, end := t.ZoneBounds()
	if !end.IsZero() && t.Add(putBack(end)).Compare(end) >= 0 {
		return []clockChange{{"first", t.Format("15:04") + " comes twice: the first"}}
	}
	if !start.IsZero() && t.Before(start.Add(putBack(start))) {
		return []clockChange{{"second", t.Format("15:04") + " comes twice: the second"}}
	}
	return nil
}

// putBack returns by how much the clock is put back at a time; 0 if it is not.
func putBack(at time.Time) time.Duration {
	_, is := at.Zone()
	_, was := at.Add(-1).Zone()
	return time.Duration(max(was-is, 0)) * time.Second
}

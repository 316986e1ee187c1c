package faults

import "time"

// excuse is a fault, from when until when it may be the reason that a run is executed again.
type excuse struct {
	who      string // empty if it is for all
	from, to time.Time
}

// faultsOf returns the faults of a trial. One of a server counts until some time after it is whole
// again, as runs whose delivery is forgotten come when their leases are over.
func faultsOf(events []event) (all []excuse) {
	open := map[string]excuse{}
	rolled := map[string]time.Time{} // when it began, by task
	for _, e := range events {
		switch e.Kind {
		case "fault":
			x := excuse{e.Who, e.At, e.At.AddDate(1, 0, 0)}
			if serverFaults[e.Text] != nil {
				x.who = ""
			}
			open[e.Who] = x
		case "mended":
			if x := open[e.Who]; x.who != "" {
				all = append(all, excuse{e.Who, x.from, e.At})
				delete(open, e.Who)
			}
		case "whole":
			all = append(all, excuse{"", open[e.Who].from, e.At.Add(theLease + 10*time.Second)})
			delete(open, e.Who)
		case "dead", "stopped", "asked to end":
			all = append(all, excuse{e.Who, e.At, e.At})
		case "rolls up":
			rolled[e.ID] = e.At
		case "rolled up": // in between the server delivers the task anew, maybe before it answers
			all = append(all, excuse{"", rolled[e.ID], e.At})
		case "server killed", "server stopped":
			all = append(all, excuse{"", e.At, e.At.Add(time.Minute)})
		}
	}
	for _, x := range open {
		all = append(all, x)
	}
	return all
}

// judgeRepeated judges the runs that were executed again: there has to be a fault that explains it.
func (v *verdict) judgeRepeated(byRun map[string][]span, faults []excuse) {
	for _, attempts := range byRun {
		v.Distinct++
		if len(attempts) > 1 {
			v.Repeated++
		}
		ends := 0
		for i, s := range attempts {
			if !s.ended {
				continue
			}
			ends++
			if i+1 < len(attempts) && !excused(s, attempts[i+1], faults) {
				v.note(&v.Twice, "twice: %v, and %v", s.event, attempts[i+1].event)
			}
		}
		if ends > 1 {
			v.Again++
		}
	}
}

func excused(first, next span, faults []excuse) bool {
	for _, x := range faults {
		mine := x.who == "" || x.who == first.Who || x.who == next.Who
		if mine && x.from.Before(next.At) && x.to.After(first.At) {
			return true
		}
	}
	return next.stale
}

package inspect

import (
	"fmt"
	"slices"
	"time"

	"github.com/punctual-go/punctual/executor/insight"
)

// fleetTrouble is something that is wrong, in one process or in several.
type fleetTrouble struct {
	trouble
	Who []*fleetProcess `json:"processes"`
	Own string          `json:"says,omitempty"` // of the fleet: it does not come from a process

	// Fresh is whether the task is wrong in the newest version only, though older ones are known.
	Fresh bool `json:"new_in_version,omitzero"`
}

// fleetWrong is what is wrong in a fleet, the worst first.
type fleetWrong struct {
	Shown []*fleetTrouble `json:"shown"`
	More  int             `json:"more,omitzero"`
}

// wrong returns what is wrong in all processes. The same trouble in several is one, with the error
// of the last.
func (s *fleetSeen) wrong() fleetWrong {
	w := fleetWrong{Shown: []*fleetTrouble{}}
	w.Shown = append(w.Shown, s.amiss()...)
	type key struct {
		what       string
		pool, task text
	}
	known := map[key]*fleetTrouble{}
	for _, p := range s.processes {
		if !p.lives() {
			continue
		}
		w.More += p.has.Wrong.More
		for _, t := range p.has.Wrong.Shown {
			k := key{what: t.What, pool: t.Pool.Name}
			if t.Task != nil {
				k.task = t.Task.Name
			}
			one := known[k]
			if one == nil {
				one = &fleetTrouble{trouble: s.located(t), Fresh: s.fresh(t)}
				known[k] = one
				w.Shown = append(w.Shown, one)
			}
			one.join(p, t)
		}
	}
	w.sort()
	return w
}

// add adds what is wrong with panels.
func (w *fleetWrong) add(ill wrong) {
	for _, t := range ill.Shown {
		w.Shown = append(w.Shown, &fleetTrouble{trouble: t})
	}
	w.More += ill.More
	w.sort()
}

// sort puts the worst first, of what is as bad that of the newest version only, and keeps no more
// than are shown.
func (w *fleetWrong) sort() {
	slices.SortStableFunc(w.Shown, func(a, b *fleetTrouble) int {
		if worse := rankOf(word(a.What)) - rankOf(word(b.What)); worse != 0 || a.Fresh == b.Fresh {
			return worse
		}
		if a.Fresh {
			return -1
		}
		return 1
	})
	if n := len(w.Shown) - mostWrong; n > 0 {
		w.Shown, w.More = w.Shown[:mostWrong], w.More+n
	}
}

// located returns a trouble whose links lead to views of the fleet, if it has one of the task.
func (s *fleetSeen) located(t trouble) trouble {
	t.Pool.Path = ""
	if t.Task != nil {
		to := link{Name: t.Task.Name}
		path := taskPath(string(t.Pool.Name), string(t.Task.Name))
		if s.tasks().at[path] != nil {
			to.Path = path
		}
		t.Task = &to
	}
	return t
}

// fresh reports whether the task is wrong in the newest version only.
func (s *fleetSeen) fresh(t trouble) bool {
	if t.Task == nil {
		return false
	}
	of := s.tasks().at[taskPath(string(t.Pool.Name), string(t.Task.Name))]
	return of != nil && of.Fresh
}

// join adds the trouble of a process to the same of others.
func (one *fleetTrouble) join(p *fleetProcess, t trouble) {
	one.Who = append(one.Who, p)
	if !t.Since.IsZero() && (one.Since.IsZero() || t.Since.Before(one.Since)) {
		one.Since = t.Since
	}
	if t.Count > one.Count {
		one.Count = t.Count
	}
	if t.Error != "" {
		one.Error = t.Error
	}
}

// amiss returns what can't be seen: names first, each of which may lead to many processes.
func (s *fleetSeen) amiss() (list []*fleetTrouble) {
	for i := range s.services {
		one := &s.services[i]
		says := fmt.Sprintf("%s of the addresses of %s are not asked: %s at most are", count(one.more),
			label(one.base.Hostname()), count(mostMembers))
		if one.trouble != "" {
			says = label(one.base.Hostname()) + " can’t be resolved: " + one.trouble + ", since " +
				clockTime(time.Now(), one.since)
		}
		list = append(list, &fleetTrouble{trouble: trouble{What: replicaSilent, Since: one.since},
			Own: says})
	}
	for _, p := range s.processes {
		if !p.amiss {
			continue
		}
		says := p.Trouble + ", since " + clockTime(time.Now(), p.Since)
		if p.has != nil {
			says += "; it answered last at " + clockTime(time.Now(), p.Answered)
		}
		list = append(list, &fleetTrouble{trouble: trouble{What: replicaSilent, Since: p.Since},
			Who: []*fleetProcess{p}, Own: says})
	}
	return list
}

// Words says what is wrong.
func (one *fleetTrouble) Words() string {
	switch {
	case one.Own != "":
		return one.Own
	case len(one.Who) > 1 && one.Count > 1 && one.inSeries():
		return "up to " + one.Says()
	}
	return one.Says()
}

// inSeries reports whether the words begin with a number of runs.
func (one *fleetTrouble) inSeries() bool {
	switch one.What {
	case insight.TimedOut, insight.Expiring, insight.Failing:
		return true
	}
	return false
}

// mostWho is how many processes a line names.
const mostWho = 4

// Named returns the first of the processes.
func (one *fleetTrouble) Named() []*fleetProcess { return one.Who[:min(len(one.Who), mostWho)] }

// Others returns how many others there are.
func (one *fleetTrouble) Others() int { return max(len(one.Who)-mostWho, 0) }

package inspect

import (
	"slices"
	"strings"
	"sync"
	"time"
)

// deed is an action of this page that has changed something.
type deed struct {
	at   time.Time
	verb string
	by   string // "" if that is not known
	of   *source
	task string // its name, or how it begins; "" for the source itself

	serial uint64 // of the task; 0 if it had ended
	form   string // which has been confirmed, for several tasks
}

// deeds are the last actions, the oldest first. They are in no pool: what the program itself pauses
// is not among them.
type deeds struct {
	mu   sync.Mutex
	list []deed
}

// The most that is remembered: of them, and of a name, in bytes.
const (
	mostDeeds   = 1000
	longestName = 1000
)

func (d *deeds) add(done deed) {
	if len(done.task) > longestName {
		done.task = strings.Clone(done.task[:longestName])
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.list) == mostDeeds {
		d.list = slices.Delete(d.list, 0, 1)
	}
	d.list = append(d.list, done)
}

// latest returns the last ones that are asked for, the latest first. Those of one form are one,
// with how many tasks it was done to.
func (d *deeds) latest(most int, wanted func(*deed) bool) (found []deed, tasks []int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for i := len(d.list) - 1; i >= 0; i-- {
		one := &d.list[i]
		if !wanted(one) {
			continue
		}
		if last := len(found) - 1; last >= 0 && one.form != "" && found[last].form == one.form {
			tasks[last]++
			continue
		}
		if len(found) == most {
			break
		}
		found, tasks = append(found, *one), append(tasks, 1)
	}
	return found, tasks
}

// last returns the last one that is asked for.
func (d *deeds) last(wanted func(*deed) bool) (deed, bool) {
	found, _ := d.latest(1, wanted)
	if len(found) == 0 {
		return deed{}, false
	}
	return found[0], true
}

// participles are the verbs of what has been done.
var participles = map[string]string{"pause": "paused", "resume": "resumed", "suspend": "suspended",
	"trigger": "asked to run now", "reset": "moved", "cancel": "cancelled", "restart": "started again"}

// shownDeed is one as it is shown.
type shownDeed struct {
	At    time.Time `json:"at"`
	Did   string    `json:"did"`
	By    text      `json:"by,omitempty"`
	Pool  link      `json:"pool"`
	Task  *link     `json:"task,omitempty"` // nil for the pool itself, or several tasks
	Tasks int       `json:"tasks,omitzero"` // if it was done to several
}

// The most that is shown of them: of all, and of a pool or task.
const (
	mostDeedsOfAll = 3
	mostDeedsShown = 5
)

// deeds returns what has been done here lately, the latest first.
func (s *snapshot) deeds() []shownDeed {
	if len(s.sources) == 0 {
		return nil
	}
	all := func(*deed) bool { return true }
	return s.show(s.sources[0].page.deeds.latest(mostDeedsOfAll, all))
}

// deeds returns what has been done to the source and its tasks.
func (s *seen) deeds() []shownDeed {
	here := func(d *deed) bool { return d.of == s.source }
	return s.show(s.page.deeds.latest(mostDeedsShown, here))
}

// deedsOf returns what has been done to a task: by its name, which may be that of one before it, if
// no other has that now.
func (s *seen) deedsOf(e *entry) []shownDeed {
	alone := e.name != "" && s.tasks().named(e.name) <= 1
	return s.show(s.page.deeds.latest(mostDeedsShown, func(d *deed) bool {
		same := d.serial != 0 && d.serial == e.serial
		return d.of == s.source && (same || alone && d.task == e.name)
	}))
}

func (s *seen) show(list []deed, tasks []int) (shown []shownDeed) {
	for i, d := range list {
		shown = append(shown, s.shownDeed(d, tasks[i]))
	}
	return shown
}

func (s *snapshot) show(list []deed, tasks []int) (shown []shownDeed) {
	for i, d := range list {
		if of := s.find(d.of.path()); of != nil {
			shown = append(shown, of.shownDeed(d, tasks[i]))
		}
	}
	return shown
}

func (s *seen) shownDeed(d deed, tasks int) shownDeed {
	shown := shownDeed{At: d.at, Did: participles[d.verb], By: text(d.by),
		Pool: link{text(s.title()), s.path()}}
	switch {
	case tasks > 1:
		shown.Tasks = tasks
	case d.serial != 0 || d.task != "":
		to := s.link(d.task)
		shown.Task = &to
	}
	return shown
}

// pausedBy says who has paused a source or, given its serial number, a task: as far as this page
// knows, as the program may have resumed and paused it since.
func (s *seen) pausedBy(serial uint64) string {
	d, ok := s.page.deeds.last(func(d *deed) bool {
		return d.of == s.source && d.serial == serial && (serial != 0 || d.task == "") &&
			(d.verb == "pause" || d.verb == "resume")
	})
	if !ok || d.verb == "resume" {
		return "Not paused on this page, as far as it remembers."
	}
	says := "Paused on this page at " + clockTime(time.Now(), d.at)
	if d.by != "" {
		says += " by " + text(d.by).String()
	}
	return says + "."
}

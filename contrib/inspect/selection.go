package inspect

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
)

// What a form selects of a list.
const (
	whichPicked = "picked" // the rows that are ticked
	whichPage   = "page"   // all rows that it shows
	whichFound  = "found"  // all tasks that the list has found, on all its pages
)

// manyVerbs are what can be done with several tasks at once.
var manyVerbs = []string{"pause", "resume", "trigger", "cancel"}

var (
	errOtherPage = errors.New("the page is of another process by now: load it again")
	errSelection = errors.New("it is not clear what is selected")
)

// selection is the tasks that a form has selected.
type selection struct {
	tasks []listed
	gone  int // of those that were named, how many are not there any more
}

// selected returns what a form has selected of the tasks of some pools.
func selected(form url.Values, born string, pools []*seen, q query) (s selection, err error) {
	if form.Get("of") != born {
		return s, errOtherPage
	}
	switch form.Get("which") {
	case whichPicked:
		return picked(form["t"], pools)
	case whichPage:
		return picked(form["shown"], pools)
	case whichFound:
		return selection{tasks: choose(pools, q).all()}, nil
	}
	return s, errSelection
}

// picked returns the tasks that a form names, each once, in the order of their names.
func picked(picks []string, pools []*seen) (s selection, err error) {
	wanted := map[int]map[uint64]bool{}
	for _, pick := range picks {
		source, serial, ok := readPick(pick)
		if !ok {
			return s, errSelection
		}
		if wanted[source] == nil {
			wanted[source] = map[uint64]bool{}
		}
		wanted[source][serial] = true
	}
	for _, of := range pools {
		serials := wanted[of.number]
		delete(wanted, of.number)
		s.gone += len(serials)
		for _, e := range of.tasks().entries {
			if len(serials) > 0 && serials[e.serial] {
				s.tasks = append(s.tasks, listed{of, e})
				s.gone--
			}
		}
	}
	if len(wanted) > 0 { // tasks of a pool that the list is not of
		return selection{}, errSelection
	}
	return s, nil
}

// unfit says why a verb would change nothing about a task as it is now; "" if it would.
func (e *entry) unfit(verb string) string {
	switch {
	case e.dead != nil:
		return "a failure has ended it"
	case e.handle.State().Settled():
		return hasEnded
	case verb == "pause" && e.handle.Paused():
		return "already paused"
	case verb == "resume" && !e.handle.Paused():
		return "not paused"
	}
	return ""
}

// hasEnded says why nothing can be done with a task.
const hasEnded = "ended meanwhile"

// The steps of doing something with several tasks are below the address of their list.
const (
	stepPreview = "preview"
	stepConfirm = "confirm"
)

// isStep reports whether a path is that of a step. Only a form leads there.
func (p *Page) isStep(path string) bool {
	_, _, _, ok := p.manyStep(path)
	return ok
}

// backToList leads from the address of a step to the list, as when it is loaded again.
func backToList(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Location", "../"+allTasks+newQuery(r.URL.Query()).String())
	w.WriteHeader(http.StatusSeeOther)
}

// manyStep splits the address of such a step; of is nil for the list of all pools.
func (p *Page) manyStep(path string) (list string, of *source, step string, ok bool) {
	at := strings.LastIndex(path, "/")
	if at < 0 {
		return "", nil, "", false
	}
	list, step = path[:at], path[at+1:]
	if step != stepPreview && step != stepConfirm {
		return "", nil, "", false
	}
	if list == allTasks && p.fleet == nil { // of its processes nothing can be selected
		return list, nil, step, true
	}
	for _, src := range p.sources {
		if src.kind == aPool && list == src.path()+allTasks {
			return list, src, step, true
		}
	}
	return "", nil, "", false
}

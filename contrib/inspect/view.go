package inspect

import (
	"net/url"
	"strings"
)

// view is what an address shows.
type view struct {
	template string
	title    []crumb // where it is, from the outside to the inside
	task     string  // the identity of the task that it is of, or ""
	data     any     // as JSON; and what the template shows
}

// crumb is a step on the way to a view.
type crumb struct {
	Name string
	Path string // below the address of the page
}

// query is what an address asks for, with everything else left out.
type query struct {
	Search string
	State  string // one of states, or "" for all
	Pool   string // as it stands in addresses, or "" for all
	Sort   string // one of orders, or "" for by name
	Page   int    // from 1 on
	Roll   bool   // the index is to have the tasks, for a Fleet
	panelQuery
}

// longestSearch is how much of a search is looked at, in bytes.
const longestSearch = 200

// newQuery reads what is understood, and takes anything else for what it is by default.
func newQuery(values url.Values) query {
	q := query{Search: values.Get("q"), Pool: values.Get("pool"), Page: 1, Roll: values.Get("with") == "tasks"}
	if len(q.Search) > longestSearch {
		q.Search = q.Search[:longestSearch]
	}
	if !idOfPool.MatchString(q.Pool) {
		q.Pool = ""
	}
	if state := values.Get("state"); known(states, state) {
		q.State = state
	}
	if order := values.Get("sort"); known(orders, order) {
		q.Sort = order
	}
	q.Page, q.panelQuery = pageNumber(values.Get("page")), newPanelQuery(values)
	return q
}

// String returns the query as it stands in addresses, with its question mark; "" if it asks for
// nothing special.
func (q query) String() string {
	values := url.Values{}
	for name, value := range map[string]string{"q": q.Search, "state": q.State, "pool": q.Pool,
		"sort": q.Sort, "choice": q.Choice, "after": q.After} {
		if value != "" {
			values.Set(name, value)
		}
	}
	if q.Page > 1 {
		values.Set("page", itoa(q.Page))
	}
	if len(values) == 0 {
		return ""
	}
	return "?" + values.Encode()
}

// view returns what is at a path, or false if nothing is there. Act says whether the viewer may act,
// and so see what is only for those.
func (s *snapshot) view(path string, q query, act bool) (view, bool) {
	if v, ok := s.panelView(path, q, act); ok {
		return v, true
	}
	if s.fleet != nil && path == "" {
		return view{"fleet", nil, "", s.fleet.index(s.onIndex())}, true
	}
	if s.fleet != nil {
		return s.fleet.view(path, q)
	}
	if path == "" {
		return view{"overview", nil, "", s.overview().with(s, q)}, true
	}
	if path == allTasks {
		return view{"tasks", []crumb{{"tasks", allTasks}}, "", s.tasksView(q, nil)}, true
	}
	kind, rest, _ := strings.Cut(path, "/")
	id, rest, found := strings.Cut(rest, "/")
	src := s.find(kind + "/" + id + "/")
	if !found || src == nil {
		return view{}, false
	}
	here := []crumb{{label(src.title()), src.path()}}
	switch {
	case rest == "" && src.kind == aSupervisor:
		v := src.supervised()
		v.Deeds = src.deeds()
		return view{"supervisor", here, "", v}, true
	case rest == "":
		return view{"pool", here, "", src.poolView(act)}, true
	case src.kind == aPool && rest == "tasks":
		return view{"tasks", append(here, crumb{"tasks", src.path() + "tasks"}), "",
			s.tasksView(q, src)}, true
	case src.kind == aPool && strings.HasPrefix(rest, "task/"):
		return src.taskAt(strings.TrimPrefix(rest, "task/"), here, act)
	case src.kind != aSupervisor && strings.HasPrefix(rest, "runs/"):
		return src.runsAt(strings.TrimPrefix(rest, "runs/"), here)
	case strings.HasPrefix(rest, "ended/"):
		return src.endedAt(strings.TrimPrefix(rest, "ended/"), here)
	}
	return view{}, false
}

// taskAt returns the view of a task, or false if there is none with this address.
func (s *seen) taskAt(id string, here []crumb, act bool) (view, bool) {
	e := s.tasks().byID[id]
	if e == nil { // it may have ended
		return s.endedAt(id, here)
	}
	here = append(here, crumb{"tasks", s.path() + "tasks"}, crumb{label(named(e.name)), e.path(s.source)})
	return view{"task", here, identity(s.born, e.serial), s.taskView(e, act)}, true
}

// title returns the name of the source, or what it is.
func (s *source) title() string {
	if s.name == "" {
		return s.kind + " " + strings.TrimPrefix(s.id, "-")
	}
	return s.name
}

// named returns a name that can be seen.
func named(name string) string {
	if name == "" {
		return "(no name)"
	}
	return name
}

// base returns the way from a view back to the page's own address.
func base(path string) string {
	if depth := strings.Count(path, "/"); depth > 0 {
		return strings.Repeat("../", depth)
	}
	return "./"
}

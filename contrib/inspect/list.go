package inspect

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/punctual-go/punctual/executor/insight"
)

// allTasks is the address of the tasks of all pools, below that of the page. Those of one pool are
// at the same, below its own.
const allTasks = "tasks"

// tasksView is a page of the periodic tasks of a pool, or of all pools.
type tasksView struct {
	At     time.Time `json:"at"`
	Source text      `json:"pool,omitempty"` // empty for all
	Total  int       `json:"total"`
	Found  int       `json:"found"` // those that are looked for
	Page   int       `json:"page"`
	Pages  int       `json:"pages"`
	Tasks  []row     `json:"tasks"`

	Asked  query    `json:"-"`
	States []string `json:"-"`
	Orders []string `json:"-"`
	Path   string   `json:"-"`
	Pools  []poolID `json:"-"` // among which one can choose
	Born   string   `json:"-"` // of the page
}

// poolID is a pool among which one can choose.
type poolID struct {
	ID   string
	Name text
}

var idOfPool = regexp.MustCompile(`^-?[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// onPage is how many tasks a page has.
const onPage = 100

// What tasks can be chosen by, which is what they do, and what is wrong with them, the worst first;
// and what they can be sorted by.
var (
	states = []string{stateWaiting, stateRunning, statePaused, insight.Dead, insight.Stuck, stateLate,
		insight.GivenUp, stateTimedOut, stateFailing, insight.Expiring, insight.Overdue}
	orders = []string{"name", "next", "took", "runs"}
)

func known(words []string, word string) bool { return slices.Contains(words, word) }

// pageNumber reads one; it is 1 if it is none. Pages that there are not become the last one.
func pageNumber(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return 1
	}
	return n
}

func itoa(n int) string { return strconv.Itoa(n) }

// pools returns the pools that a query asks for: one, if the view is of that, or has chosen it.
func (s *snapshot) pools(q query, of *seen) (pools []*seen) {
	for _, src := range s.sources {
		if src.kind == aPool && (src == of || of == nil && (q.Pool == "" || q.Pool == src.id)) {
			pools = append(pools, src)
		}
	}
	return pools
}

// tasksView returns a page of the tasks of a pool, or of all pools if that is nil.
func (s *snapshot) tasksView(q query, of *seen) tasksView {
	v := tasksView{At: s.at, Path: allTasks, Tasks: []row{}, States: states, Orders: orders}
	if of != nil {
		q.Pool = ""
		v.Source, v.Path = text(of.title()), of.path()+allTasks
	}
	found := choose(s.pools(q, of), q)
	v.Total, v.Found = found.total, found.size()
	v.Pages = max((v.Found+onPage-1)/onPage, 1)
	v.Page = min(q.Page, v.Pages)
	v.Asked = q
	v.Asked.Page = v.Page
	until := time.Now().Add(patienceInAll)
	for _, t := range found.window((v.Page-1)*onPage, onPage) {
		r := t.of.row(t.entry, &asker{until, &t.of.silent})
		if of == nil {
			r.Pool = &link{text(t.of.title()), t.of.path()}
		}
		v.Tasks = append(v.Tasks, r)
	}
	for _, src := range s.sources {
		v.Born = src.born
		if src.kind == aPool && of == nil {
			v.Pools = append(v.Pools, poolID{src.id, text(src.title())})
		}
	}
	return v
}

// HasTasks reports whether there are lists of tasks.
func (o overview) HasTasks() bool {
	return slices.ContainsFunc(o.Sources, func(s summary) bool { return s.Kind == aPool })
}

// PageAt returns the address of another page of the same tasks.
func (v tasksView) PageAt(page int) string {
	q := v.Asked
	q.Page = page
	return v.Path + q.String()
}

// Sorted returns the address of the same tasks in another order.
func (v tasksView) Sorted(order string) string {
	q := v.Asked
	q.Page, q.Sort = 1, order
	return v.Path + q.String()
}

// Preview is where a form leads that is to do something with several of the tasks.
func (v tasksView) Preview() string { return v.Path + "/" + stepPreview + v.Asked.String() }

// Selectable is how many of the tasks that are shown can be selected.
func (v tasksView) Selectable() (n int) {
	for _, r := range v.Tasks {
		if r.Pick != "" {
			n++
		}
	}
	return n
}

// Before and After are the numbers of the pages beside this one; 0 if there is none.
func (v tasksView) Before() int { return v.Page - 1 }

// After is the number of the next page, or 0.
func (v tasksView) After() int {
	if v.Page == v.Pages {
		return 0
	}
	return v.Page + 1
}

// Window is the numbers of the first task that is shown, and of the last.
func (v tasksView) Window() string {
	if v.Found == 0 {
		return "none"
	}
	first := (v.Page - 1) * onPage
	return count(first+1) + "–" + count(first+len(v.Tasks)) + " of " + count(v.Found)
}

// pick returns what names the task in a form, together with the identity of the page; short, as a
// form may have many.
func (e *entry) pick(of *source) string {
	return itoa(of.number) + "." + strconv.FormatUint(e.serial, 36)
}

// readPick returns the number of a source, and the serial number of a task there.
func readPick(text string) (source int, serial uint64, ok bool) {
	before, after, _ := strings.Cut(text, ".")
	source, err := strconv.Atoi(before)
	if err != nil {
		return 0, 0, false
	}
	serial, err = strconv.ParseUint(after, 36, 64)
	return source, serial, err == nil
}

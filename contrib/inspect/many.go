package inspect

import (
	"bytes"
	"errors"
	"html/template"
	"log/slog"
	"net/http"
	"slices"
	"sync"
)

// serveMany does what a form asks for with several tasks. It is behind the same gate as any action.
func (p *Page) serveMany(
	w http.ResponseWriter, r *http.Request, list string, of *source, step string,
) {
	if step == stepConfirm {
		p.confirm(w, r, list)
		return
	}
	p.preview(w, r, list, of)
}

// preview shows what would be done, and does nothing.
func (p *Page) preview(w http.ResponseWriter, r *http.Request, list string, of *source) {
	n := &intent{verb: r.PostForm.Get("do"), token: r.PostForm.Get("token"), list: list,
		query: newQuery(r.URL.Query())}
	if !slices.Contains(manyVerbs, n.verb) {
		p.refuse(w, r, http.StatusBadRequest, "this can't be done with several tasks")
		return
	}
	snap := p.snapshot(fresh)
	pools := snap.pools(n.query, nil)
	if of != nil {
		pools = snap.pools(n.query, snap.find(of.path()))
	}
	s, err := selected(r.PostForm, p.born, pools, n.query)
	switch {
	case errors.Is(err, errOtherPage):
		p.refuse(w, r, http.StatusConflict, err.Error())
		return
	case err != nil:
		p.refuse(w, r, http.StatusBadRequest, err.Error())
		return
	}
	v := previewView{manyView: p.manyView(n), Selected: len(s.tasks) + s.gone}
	v.Gone = s.gone
	for _, t := range s.tasks {
		to := planned{t.of.source, t.entry}
		if why := t.unfit(n.verb); why != "" {
			v.remark(why, to)
			continue
		}
		n.tasks = append(n.tasks, to)
		v.Touched.add(to)
	}
	if len(n.tasks) > 0 {
		p.keep(n)
		v.ID = n.id
	}
	p.serveStill(w, r, "preview", v.manyView, v)
}

// confirm does what has been shown, to the tasks that have been shown.
func (p *Page) confirm(w http.ResponseWriter, r *http.Request, list string) {
	id, token := r.PostForm.Get("intent"), r.PostForm.Get("token")
	n := p.take(func(n *intent) bool { return n.id == id && n.token == token && n.list == list })
	if n == nil {
		p.refuse(w, r, http.StatusConflict,
			"this has been confirmed already, or is too old: go back to the list and select again")
		return
	}
	v := doneView{manyView: p.manyView(n), Asked: len(n.tasks)}
	now := sync.OnceValue(func() *snapshot {
		p.forget()
		return p.snapshot(fresh)
	})
	for _, t := range n.tasks {
		done, why := t.do(n.verb)
		p.told(r, deed{verb: n.verb, of: t.of, task: t.name, serial: t.serial, form: n.id},
			t.forLog(), done)
		switch {
		case done:
			v.Done++
			continue
		case why == hasEnded && now().find(t.of.path()).tasks().named(t.name) > 0:
			why = "ended meanwhile; another task has its name by now, with which nothing was done"
		}
		v.remark(why, t)
	}
	p.log().LogAttrs(r.Context(), slog.LevelInfo, "inspect: actions", append(who(r),
		slog.String("do", n.verb), slog.Int("tasks", v.Asked), slog.Int("done", v.Done))...)
	p.forget()
	p.serveStill(w, r, "done", v.manyView, v)
}

// serveStill answers with a view that a form has asked for. It is of one moment.
func (p *Page) serveStill(
	w http.ResponseWriter, r *http.Request, view string, v manyView, data any,
) {
	f := frame{Base: v.base, Version: version, Self: v.List, Title: v.title, Still: true,
		Token: r.PostForm.Get("token")} // that of the cookie, by which it has got here
	var b bytes.Buffer
	err := templates.ExecuteTemplate(&b, view, shownView{f.Base, true, version, data})
	if err != nil {
		panic(err) // a mistake in a template; the server reports it
	}
	f.Live = template.HTML(b.String())
	f.serve(w, http.StatusOK)
}

// do does something with a task, unless that would change nothing: then it says why.
func (t planned) do(verb string) (done bool, why string) {
	if why = t.unfit(verb); why != "" {
		return false, why
	}
	if done, _ = taskActions(t.handle)[verb](nil); done {
		return true, ""
	}
	if why = t.unfit(verb); why == "" {
		why = "nothing could be done"
	}
	return false, why
}

func (t planned) forLog() []slog.Attr {
	return []slog.Attr{slog.String("pool", label(t.of.name)), slog.String("task", label(t.name))}
}

// manyView is what both views of doing something with several tasks have.
type manyView struct {
	Verb string
	List string // the address of the list, with what it was asked for
	Left []remark

	confirm string
	base    string
	title   []crumb
}

func (p *Page) manyView(n *intent) manyView {
	v := manyView{Verb: n.verb, List: n.list + n.query.String(),
		confirm: n.list + "/" + stepConfirm + n.query.String(), base: base(n.list + "/")}
	for _, src := range p.sources {
		if n.list == src.path()+allTasks {
			v.title = []crumb{{label(src.title()), src.path()}}
		}
	}
	v.title = append(v.title, crumb{"tasks", v.List})
	return v
}

// remark is some tasks of which the same is to be said.
type remark struct {
	Says     string
	Mentions mentions
}

// mentions are tasks, of which the first are named.
type mentions struct {
	Count int
	Named []mention
}

// mention names a task.
type mention struct {
	Task link
	Pool text
}

// mostMentioned is how many tasks are named of which the same is to be said.
const mostMentioned = 500

// Unnamed is how many are not named.
func (m mentions) Unnamed() int { return m.Count - len(m.Named) }

func (m *mentions) add(t planned) {
	if m.Count++; m.Count <= mostMentioned {
		m.Named = append(m.Named,
			mention{link{text(named(t.name)), t.path(t.of)}, text(t.of.title())})
	}
}

func (v *manyView) remark(says string, t planned) {
	i := slices.IndexFunc(v.Left, func(r remark) bool { return r.Says == says })
	if i < 0 {
		i = len(v.Left)
		v.Left = append(v.Left, remark{Says: says})
	}
	v.Left[i].Mentions.add(t)
}

// previewView is what is about to be done.
type previewView struct {
	manyView
	ID       string
	Selected int
	Gone     int // of those that were selected
	Touched  mentions
}

// Confirm is where the form leads that confirms it.
func (v previewView) Confirm() string { return v.confirm }

// Asks says what is about to be done, as the button does.
func (v previewView) Asks() string {
	tasks := numbered(uint64(v.Touched.Count), "task")
	switch v.Verb {
	case "pause":
		return "Pause " + tasks
	case "resume":
		return "Resume " + tasks
	case "trigger":
		return "Run " + tasks + " now"
	}
	return "Cancel " + tasks
}

// doneView is what has been done.
type doneView struct {
	manyView
	Asked int
	Done  int
}

// Says tells what has been done.
func (v doneView) Says() string {
	how := participles[v.Verb]
	if v.Done == v.Asked {
		return numbered(uint64(v.Done), "task") + " " + how
	}
	return count(v.Done) + " of " + numbered(uint64(v.Asked), "task") + " " + how
}

package inspect

import (
	"bytes"
	"embed"
	"encoding/json"
	"html/template"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

//go:embed template
var templateFiles embed.FS

var templates = template.Must(template.New("").Funcs(template.FuncMap{
	"forms": func() []string { return []string{"act", "move-by", "many"} },
	"name":  named, "label": label, "count": count[uint64], "size": count[int], "rate": rate,
	"clock":    func(t time.Time) string { return clockTime(time.Now(), t) },
	"ofTask":   ofTask,
	"until":    until,
	"away":     away,
	"numbered": func(n int, what string) string { return numbered(uint64(n), what) },
	"ago":      func(t time.Time) string { return wait(time.Since(t)) },
	"now":      time.Now,
	"to":       func(base string, to link) linkArgs { return linkArgs{base, to} },
	"chart":    func(title string, c *chart) chartArgs { return chartArgs{title, c} },
	"wrongs":   func(v shownView, w wrong, pools bool) wrongArgs { return wrongArgs{v.Base, v.Act, w, pools} },
	"deeds": func(base string, list []shownDeed, tasks, pools bool) deedArgs {
		return deedArgs{base, list, tasks, pools}
	},
	"stand":     func(base, path, key string) standArgs { return standArgs{base, path, key} },
	"mentioned": func(base string, m mentions) mentionArgs { return mentionArgs{base, m} },
	"lefts": func(base, title string, left []remark, gone int) leftArgs {
		return leftArgs{base, title, left, gone}
	},
	"value":  func(base string, v panelValue) valueArgs { return valueArgs{base, v} },
	"facts":  func(base string, f []panelFact) factsArgs { return factsArgs{base, f} },
	"table":  func(base string, t panelTable) tableArgs { return tableArgs{base, t} },
	"apart":  apart,
	"button": func(base, of string, a panelAction) buttonArgs { return buttonArgs{base, of, a} },
	"pasts": func(caption, base string, runs []pastRun, names bool) pastArgs {
		return pastArgs{caption, base, runs, names}
	},
}).Funcs(fleetFuncs).ParseFS(templateFiles, "template/*.html"))

// What templates that are used by others get.
type (
	linkArgs struct {
		Base string
		To   link
	}
	chartArgs struct {
		Title string
		Chart *chart
	}
	wrongArgs struct {
		Base  string
		Act   bool
		Wrong wrong
		Pools bool // they are of different pools
	}
	standArgs struct{ Base, Path, Key string }
	deedArgs  struct {
		Base  string
		Deeds []shownDeed
		Tasks bool // they are of different tasks
		Pools bool // they are of different pools
	}
	mentionArgs struct {
		Base     string
		Mentions mentions
	}
	leftArgs struct {
		Base  string
		Title string
		Left  []remark
		Gone  int
	}
	pastArgs struct {
		Caption string
		Base    string
		Runs    []pastRun
		Names   bool // they are of different tasks
	}
)

// Longest returns how late the latest of the runs was, to which the pictures are to scale.
func (a pastArgs) Longest() (longest span) {
	for _, r := range a.Runs {
		if r.Why != nil {
			longest = max(longest, r.Why.Total)
		}
	}
	return longest
}

// wait returns a time to wait, or one that has passed, in whole seconds: what changes more often
// can't be read.
func wait(d time.Duration) string {
	if d < time.Second {
		return "0 s"
	}
	return span(d.Round(time.Second)).String()
}

// until returns how far away a time is.
func until(t time.Time) string {
	if d := time.Since(t); d >= time.Second {
		return wait(d) + " ago"
	}
	return wait(time.Until(t))
}

// away is the same in a sentence.
func away(t time.Time) string {
	if time.Since(t) >= time.Second {
		return until(t)
	}
	return "in " + until(t)
}

// shownView is what the template of a view gets.
type shownView struct {
	Base    string // the way to the page's own address
	Act     bool   // the viewer may do something
	Version string // of the assets
	View    any
}

// frame is what the template around a view gets.
type frame struct {
	Base    string
	Version string
	Title   []crumb
	Self    string // the address of the view, below that of the page
	JSON    string
	Live    template.HTML
	Token   string // for actions; "" if there are none
	Task    string // which task the view is of: its address may be another's by and by
	Did     string // what the viewer has just done

	Fill  bool // there is something to fill in: without script it does not load itself anew
	Still bool // it is of one moment, and does not follow what happens
}

// mostKept is of how many addresses a snapshot keeps what they show. Others are rendered for each.
const mostKept = 256

// rendered is a view, ready for whoever looks.
type rendered struct {
	title []crumb
	task  string // its identity; "" for other views
	live  []byte // the part of the page that changes; nil if nothing is there
}

// shownAt is what decides about what is shown.
type shownAt struct {
	path string
	query
	act  bool
	news int // of panels
}

// live returns what an address shows, and false if nothing is there. It is rendered once for all
// viewers of an address.
func (s *snapshot) live(path string, q query, act bool) (rendered, bool) {
	render := func() rendered {
		v, ok := s.view(path, q, act)
		if !ok {
			return rendered{}
		}
		var b bytes.Buffer
		err := templates.ExecuteTemplate(&b, v.template, shownView{base(path), act, version, v.data})
		if err != nil {
			panic(err) // a mistake in a template; the server reports it
		}
		// The parser of the browser drops white space at the beginning, and what is compared there
		// has to be the same.
		return rendered{v.title, v.task, bytes.TrimSpace(b.Bytes())}
	}
	key := shownAt{path, q, act, s.news(path)}
	known, ok := s.views.Load(key)
	if !ok && s.kept.Add(1) <= mostKept {
		known, _ = s.views.LoadOrStore(key, sync.OnceValue(render))
		ok = true
	}
	if ok {
		render = known.(func() rendered)
	}
	shown := render()
	return shown, shown.live != nil
}

// serveView answers with a view, as a page or as JSON.
func (p *Page) serveView(w http.ResponseWriter, r *http.Request, path string) {
	values := r.URL.Query()
	q := newQuery(values)
	p.await(path, q)
	snap := p.snapshot(fresh)
	if addSlash(w, r, snap, path) {
		return
	}
	if values.Get("format") == "json" || strings.Contains(r.Header.Get("Accept"), "application/json") {
		serveJSON(w, snap, path, q, p.mayAct(r))
		return
	}
	act := p.mayAct(r)
	f := frame{Base: base(path), Version: version, Self: path + q.String(),
		JSON: base(path) + path + withFormat(q), Did: did(values)}
	if p.authorize != nil { // the buttons may come later, by the stream
		f.Token = token(w, r)
	}
	code := http.StatusOK
	shown, ok := snap.live(path, q, act)
	if !ok {
		code = http.StatusNotFound
		shown = rendered{title: []crumb{{"not found", path}}, live: missing(path)}
	}
	f.Title, f.Task, f.Live = shown.title, shown.task, template.HTML(shown.live)
	f.Fill = act && p.isStep(path+"/"+stepPreview)
	f.serve(w, code)
}

// serve answers with the page.
func (f frame) serve(w http.ResponseWriter, code int) {
	var b bytes.Buffer
	if err := templates.ExecuteTemplate(&b, "frame", f); err != nil {
		panic(err)
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(code)
	_, _ = w.Write(b.Bytes())
}

// addSlash leads from the address of a source without its slash to the one with it, and reports
// whether it has.
func addSlash(w http.ResponseWriter, r *http.Request, snap *snapshot, path string) bool {
	if snap.find(path+"/") == nil && !snap.hosts(path+"/") {
		return false
	}
	to := "./" + path[strings.LastIndex(path, "/")+1:] + "/"
	if r.URL.RawQuery != "" {
		to += "?" + r.URL.RawQuery
	}
	w.Header().Set("Location", to)
	w.WriteHeader(http.StatusMovedPermanently)
	return true
}

// missing is what is shown where nothing is, or nothing is any more.
func missing(path string) []byte {
	var b bytes.Buffer
	if err := templates.ExecuteTemplate(&b, "missing", shownView{Base: base(path)}); err != nil {
		panic(err)
	}
	return b.Bytes()
}

func withFormat(q query) string {
	if text := q.String(); text != "" {
		return text + "&format=json"
	}
	return "?format=json"
}

func serveJSON(w http.ResponseWriter, snap *snapshot, path string, q query, act bool) {
	w.Header().Set("Content-Type", "application/json")
	encoder := json.NewEncoder(w)
	if !q.Roll { // it is not for people
		encoder.SetIndent("", "  ")
	}
	v, ok := snap.view(path, q, act)
	if !ok {
		w.WriteHeader(http.StatusNotFound)
		_ = encoder.Encode(map[string]string{"error": "nothing is here"})
		return
	}
	_ = encoder.Encode(v.data)
}

// did returns what the viewer has just done, from the address to which an action leads back. Only
// words of ours get there.
func did(values url.Values) string {
	if verb := values.Get("did"); verbs[verb] != "" {
		return verbs[verb]
	}
	if verb := values.Get("undone"); verbs[verb] != "" {
		return "Nothing was done: it has ended, or was so already."
	}
	return ""
}

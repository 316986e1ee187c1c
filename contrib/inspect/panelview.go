package inspect

import (
	"hash/fnv"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/punctual-go/punctual/contrib/inspect/panel"
	"github.com/punctual-go/punctual/executor/insight"
)

// panelView is a view of a panel: what the source has answered, made readable and cut. It is made
// once, and then shared and not changed.
type panelView struct {
	At     time.Time     `json:"at,omitzero"` // when it was asked for; zero if nothing was answered
	Name   text          `json:"name"`
	Kind   text          `json:"kind"`
	Path   string        `json:"path"`
	Title  text          `json:"title,omitempty"`
	Shows  string        `json:"shows"` // ok, or what is wrong; empty if it has not answered yet
	Silent said          `json:"not_answering,omitempty"`
	Since  time.Time     `json:"since,omitzero"` // when that began
	Wrong  wrong         `json:"troubles"`
	Facts  []panelFact   `json:"facts,omitempty"`
	Tables []panelTable  `json:"tables,omitempty"`
	Texts  []panelText   `json:"texts,omitempty"`
	Do     []panelAction `json:"actions,omitempty"`

	Lists  []link `json:"lists"` // what else there is
	Asking bool   `json:"asking,omitzero"`
}

type panelFact struct {
	Name    text       `json:"name"`
	Value   panelValue `json:"value"`
	private bool
}

type panelText struct {
	Title   text  `json:"title"`
	Body    whole `json:"body"`
	private bool
}

// panelValue has the value of its kind, and a way to more.
type panelValue struct {
	Kind  string    `json:"kind,omitempty"`
	Text  said      `json:"text,omitempty"`
	Count *uint64   `json:"count,omitempty"`
	Time  time.Time `json:"time,omitzero"`
	Span  *span     `json:"span,omitempty"`
	Path  string    `json:"path,omitempty"`
}

// Aligned reports whether it stands at the right.
func (v panelValue) Aligned() bool { return v.Kind == "count" || v.Kind == "span" }

// Link returns the value as a link.
func (v panelValue) Link() link { return link{text(v.Text), v.Path} }

type panelTable struct {
	Title   text          `json:"title"`
	Path    string        `json:"path,omitempty"`
	Columns []panelColumn `json:"columns"`
	Rows    []panelRow    `json:"rows"`
	More    int           `json:"more,omitzero"` // rows that are not shown
	Total   uint64        `json:"total,omitzero"`
	Next    string        `json:"next,omitempty"` // address of the next page
	First   string        `json:"-"`              // address of the first one, if this is another
	Empty   text          `json:"-"`

	Search  text       `json:"-"`
	Choices []text     `json:"-"`
	Asked   panelAsked `json:"-"`
	Acts    bool       `json:"-"` // a row has an action
}

// panelAsked is what the viewer has looked for.
type panelAsked struct {
	Path, Search, Choice string
}

type panelColumn struct {
	Name   text `json:"name"`
	Number bool `json:"-"`
}

type panelRow struct {
	Values []panelValue  `json:"values"`
	Do     []panelAction `json:"actions,omitempty"`

	Key string `json:"-"` // the same in the next view; "" if another row has it
}

type panelAction struct {
	Verb    string `json:"verb"`
	Label   text   `json:"label"`
	Confirm said   `json:"confirm,omitempty"`
	Why     said   `json:"cannot,omitempty"`
	Address string `json:"path,omitempty"` // to which it is posted; "" if it cannot be done
}

// The most that is shown of a view.
const (
	mostRows      = 200
	mostColumns   = 20
	mostTables    = 20
	mostFacts     = 100
	mostTexts     = 20
	mostDo        = 10
	mostCardFacts = 12
)

// say is a text of the source, of any length. All that a panel says passes through here. Only what
// is shown of it is kept.
func (h *hosted) say(s string, most int) string {
	if len(s) <= most {
		return strings.Clone(s)
	}
	end := most - 64 // so that it is not cut once more
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "… (" + strconv.Itoa(len(s)) + " bytes)"
}

// name is a text of which the page shows less than JSON has.
func (h *hosted) name(s string) text {
	if len(s) > shownError {
		return text(h.say(s, shownName)) // or the page would cut it once more
	}
	return text(h.say(s, shownError))
}

// told is what is seen of an error, a reason or a payload.
func (h *hosted) told(s string, most int) string { return h.say(h.page.redactor.shown(s), most) }

func (h *hosted) line(s string) said { return said(h.told(s, shownError)) }

// empty returns what is known without an answer.
func (h *hosted) empty(at panel.Query) *panelView {
	v := &panelView{Name: h.name(h.about.Name), Kind: h.name(h.about.Kind), Path: h.path(),
		Shows: insight.HealthOK, Wrong: wrong{Shown: []trouble{}}, Lists: []link{}}
	for _, l := range h.about.Lists {
		if l.Name == at.List {
			v.Title = h.name(l.Title)
		}
		if !l.Hidden {
			v.Lists = append(v.Lists, link{h.name(l.Title), h.path() + l.Name})
		}
	}
	if at.ID != "" {
		v.Title = h.name(at.ID)
	}
	return v
}

// newView returns what a source has answered as it is shown.
func (h *hosted) newView(at panel.Query, is panel.View) *panelView {
	v := h.empty(at)
	if is.Title != "" {
		v.Title = h.name(is.Title)
	}
	for _, t := range first(is.Troubles, mostWrong) {
		is := h.trouble(t)
		v.Wrong.Shown, v.Shows = append(v.Wrong.Shown, is), worseShown(v.Shows, is.What)
	}
	v.Wrong.More = max(len(is.Troubles)-mostWrong, 0)
	for _, f := range first(is.Facts, mostFacts) {
		v.Facts = append(v.Facts, panelFact{h.name(f.Name), h.value(f.Value), f.Private})
	}
	for _, t := range first(is.Tables, mostTables) {
		v.Tables = append(v.Tables, h.table(at, t))
	}
	for _, t := range first(is.Texts, mostTexts) {
		v.Texts = append(v.Texts, panelText{h.name(t.Title), whole(h.told(t.Body, longestWhole)),
			t.Private})
	}
	v.Do = h.actions(is.Actions)
	return v
}

func first[T any](list []T, most int) []T { return list[:min(len(list), most)] }

func (h *hosted) trouble(t panel.Trouble) trouble {
	is := trouble{What: t.What, Pool: link{h.name(h.about.Name), h.path()}, Since: shownTime(t.Since),
		Count: t.Count, Reason: h.line(t.Says).String(), Error: h.line(t.Error), told: true}
	if rank(is.What) < 0 || is.What == insight.HealthOK {
		is.What = insight.HealthDegraded
	}
	if of := h.value(t.Of); of.Text != "" {
		to := of.Link()
		is.Task = &to
	}
	return is
}

func (h *hosted) value(v panel.Value) panelValue {
	is := panelValue{Path: h.pathOf(v.Link)}
	switch v.Kind {
	case panel.KindText:
		is.Text = said(h.name(v.Text))
	case panel.KindBadge:
		is.Kind, is.Text = "badge", said(h.name(v.Text))
	case panel.KindError:
		is.Kind, is.Text = "error", h.line(v.Text)
	case panel.KindCount:
		is.Kind, is.Count = "count", &v.Count
	case panel.KindSpan:
		d := span(v.Span)
		is.Kind, is.Span = "span", &d
	case panel.KindTime:
		is.Kind, is.Time = "time", shownTime(v.Time)
	}
	return is
}

// shownTime is a time of a source as JSON can have it, and without its monotonic part; else zero.
func shownTime(t time.Time) time.Time {
	if t = in(t, t.Location()); !writable(t) {
		return time.Time{}
	}
	return t
}

func (h *hosted) table(at panel.Query, t panel.Table) panelTable {
	is := panelTable{Title: h.name(t.Title), Path: h.pathOf(panel.Ref{List: t.List}),
		Rows: []panelRow{}, More: max(len(t.Rows)-mostRows, 0), Total: t.Total, Empty: h.name(t.Empty)}
	if t.Empty == "" {
		is.Empty = "nothing"
	}
	for _, name := range first(t.Columns, mostColumns) {
		is.Columns = append(is.Columns, panelColumn{Name: h.name(name)})
	}
	keys := map[string]bool{}
	for _, r := range first(t.Rows, mostRows) {
		row := panelRow{Do: h.actions(r.Actions), Values: make([]panelValue, len(is.Columns))}
		for i, v := range first(r.Values, len(is.Columns)) {
			row.Values[i] = h.value(v)
			is.Columns[i].Number = is.Columns[i].Number || row.Values[i].Aligned()
		}
		if len(row.Values) > 0 && row.Values[0].Path != "" && !keys[row.Values[0].Path] {
			row.Key = "p-" + row.Values[0].Path
			keys[row.Values[0].Path] = true
		}
		is.Acts = is.Acts || len(row.Do) > 0
		is.Rows = append(is.Rows, row)
	}
	if at.List != "" && at.ID == "" {
		h.paged(&is, at, t)
	}
	return is
}

// paged adds to the table of a list what viewers can look for, and the way to its other pages.
func (h *hosted) paged(is *panelTable, at panel.Query, t panel.Table) {
	is.Asked = panelAsked{h.pathOf(panel.Ref{List: at.List}), at.Search, at.Choice}
	is.Search = h.name(t.Search)
	for _, c := range first(t.Choices, mostColumns) {
		is.Choices = append(is.Choices, h.name(c))
	}
	address := func(after string) string {
		q := query{Search: at.Search, panelQuery: panelQuery{Choice: at.Choice, After: after}}
		return is.Asked.Path + q.String()
	}
	if t.Next != "" && len(t.Next) <= longestSearch {
		is.Next = address(t.Next)
	}
	if at.After != "" {
		is.First = address("")
	}
}

func (h *hosted) actions(list []panel.Action) (shown []panelAction) {
	for _, a := range first(list, mostDo) {
		is := panelAction{Verb: a.Verb, Label: h.name(a.Label), Confirm: h.line(a.Confirm),
			Why: h.line(a.Why)}
		path := h.pathOf(a.Ref)
		if path != "" && a.Why == "" && plainVerb.MatchString(a.Verb) && len(a.Version) <= longestID {
			values := url.Values{"version": {a.Version}}
			if a.Vanishes {
				values.Set("gone", "1")
			}
			is.Address = path + "?" + values.Encode()
		}
		shown = append(shown, is)
	}
	return shown
}

// Tag is what the page calls an action, the same in the next view.
func (a panelAction) Tag() string {
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(a.Verb + " " + a.Address))
	return "a-" + strconv.FormatUint(hash.Sum64(), 36)
}

// forViewer returns the view without what is only for those who may act.
func (v *panelView) forViewer(act bool) *panelView {
	if act {
		return v
	}
	public := *v
	public.Do = nil
	public.Facts = without(v.Facts, func(f panelFact) bool { return f.private })
	public.Texts = without(v.Texts, func(t panelText) bool { return t.private })
	public.Tables = slices.Clone(v.Tables)
	for i, t := range public.Tables {
		if !t.Acts {
			continue
		}
		t.Acts, t.Rows = false, slices.Clone(t.Rows)
		for j := range t.Rows {
			t.Rows[j].Do = nil
		}
		public.Tables[i] = t
	}
	return &public
}

func without[T any](list []T, private func(T) bool) []T {
	return slices.DeleteFunc(slices.Clone(list), private)
}

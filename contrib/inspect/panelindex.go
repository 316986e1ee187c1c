package inspect

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/punctual-go/punctual/contrib/inspect/panel"
	"github.com/punctual-go/punctual/executor/insight"
)

// panelQuery is what an address asks a panel for, beside what it may look for.
type panelQuery struct {
	Choice string
	After  string // a cursor
}

func newPanelQuery(values url.Values) (q panelQuery) {
	if choice := values.Get("choice"); len(choice) <= longestSearch {
		q.Choice = choice
	}
	if after := values.Get("after"); len(after) <= longestSearch {
		q.After = after
	}
	return q
}

// hosts reports whether a panel has this path.
func (s *snapshot) hosts(path string) bool {
	return slices.ContainsFunc(s.panels, func(h *hosted) bool { return h.path() == path })
}

// panelView returns the view of a panel at a path, or false if nothing is there.
func (s *snapshot) panelView(path string, q query, act bool) (view, bool) {
	h, at, ok := hostedAt(s.panels, path, q)
	if !ok {
		return view{}, false
	}
	known := h.look(at, 0)
	if known.absent {
		return view{}, false
	}
	v := h.shown(at, known).forViewer(act)
	title := []crumb{{h.name(h.about.Name).String(), h.path()}}
	if at.List != "" && (at.ID == "" || !h.list(at.List).Hidden) {
		title = append(title, crumb{h.empty(panel.Query{List: at.List}).Title.String(),
			h.pathOf(panel.Ref{List: at.List})})
	}
	if at.ID != "" {
		title = append(title, crumb{v.Title.String(), path})
	}
	return view{"panel", title, "", v}, true
}

// shown returns what is shown of what is known: what was answered last, and that there is nothing
// newer, if that is so.
func (h *hosted) shown(at panel.Query, known glance) *panelView {
	v := known.view
	if v == nil {
		v = h.empty(at)
	}
	if known.trouble == "" && !known.asking {
		return v
	}
	now := *v
	if now.Asking = known.asking; now.Asking {
		now.Shows = ""
		return &now
	}
	now.Silent, now.Since, now.Shows = said(known.trouble), known.since.Round(0), insight.HealthDown
	return &now
}

// onIndex returns the panels as the index has them, what is wrong with them, and how they are.
func (s *snapshot) onIndex() (cards []*panelView, ill wrong, shows string) {
	shows = insight.HealthOK
	for _, h := range s.panels {
		v := *h.shown(panel.Query{}, h.look(panel.Query{}, 0)).forViewer(false)
		v.Facts, v.Tables, v.Texts = first(v.Facts, mostCardFacts), nil, nil
		if v.Silent != "" { // what was wrong before is not known to be so still
			v.Wrong = wrong{Shown: []trouble{{What: insight.HealthDown, Pool: link{v.Name, v.Path},
				Since: v.Since, Reason: "cannot be read", Error: v.Silent, told: true}}}
		}
		if !v.Asking {
			shows = worseShown(shows, v.Shows)
		}
		ill.add(v.Wrong)
		cards = append(cards, &v)
	}
	return cards, ill, shows
}

// add adds what is wrong elsewhere.
func (w *wrong) add(more wrong) {
	w.Shown, w.More = append(w.Shown, more.Shown...), w.More+more.More
	slices.SortStableFunc(w.Shown, func(a, b trouble) int { return rank(a.What) - rank(b.What) })
	if n := len(w.Shown) - mostWrongAll; n > 0 {
		w.Shown, w.More = w.Shown[:mostWrongAll], w.More+n
	}
}

// await has the panels asked that an address shows, if it is time, and waits for what they say, as
// [panel.Source] has it. Nothing waits when it is drawn: then others wait for the drawing.
func (p *Page) await(path string, q query) {
	if path != "" {
		if h, at, ok := hostedAt(p.panels, path, q); ok {
			h.look(at, panelPatience)
		}
		return
	}
	for _, h := range p.panels {
		h.look(panel.Query{}, 0) // so that all are waited for together
	}
	for _, h := range p.panels {
		h.look(panel.Query{}, patienceInAll)
	}
}

// news is how much the panels have answered that an address shows: if it grows within a snapshot,
// the address shows something else.
func (s *snapshot) news(path string) (n int) {
	for _, h := range s.panels {
		if path == "" || strings.HasPrefix(path, h.path()) {
			n += h.news()
		}
	}
	return n
}

func (h *hosted) news() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.ended
}

// Read says when a view was read, or since when there is nothing newer.
func (v *panelView) Read() string {
	switch {
	case v.Asking:
		return "It is being asked."
	case v.Silent == "":
		return "As of " + clockTime(time.Now(), v.At) + "."
	case v.At.IsZero():
		return "It has answered nothing yet."
	}
	return "This is what it said at " + clockTime(time.Now(), v.At) + "."
}

// SilentSince says since when it cannot be read.
func (v *panelView) SilentSince() string {
	return strings.TrimSpace("It cannot be read, since " + clockTime(time.Now(), v.Since) + ":")
}

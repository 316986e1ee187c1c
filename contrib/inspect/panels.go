package inspect

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/punctual-go/punctual/contrib/inspect/panel"
)

// Panels adds panels to the page: of what is not in the process, such as a pool that many processes
// share. They stand on the index, after the pools of the process, and what is wrong there among
// what is wrong here. They have no part in [Health] and [Ready], those of the page included: a
// process is not unhealthy because a server is.
//
// The address of a panel is panel/ and its name, or its number as for pools. Option Panels panics
// if a source is nil, or if what it says About itself has no name, or a list without a plain one.
func Panels(sources ...panel.Source) Option {
	return func(p *Page) {
		for _, s := range sources {
			p.panels = append(p.panels, newHosted(p, s))
		}
		taken := map[string]int{}
		for _, h := range p.panels {
			taken[h.about.Name]++
		}
		for i, h := range p.panels {
			h.id = fmt.Sprintf("-%d", i+1)
			if plainName.MatchString(h.about.Name) && taken[h.about.Name] == 1 {
				h.id = h.about.Name
			}
		}
	}
}

// hosted is a panel on the page, with what it has answered.
type hosted struct {
	page    *Page
	source  panel.Source
	about   panel.About
	refresh time.Duration
	id      string // in addresses

	mu      sync.Mutex
	answers map[panel.Query]*answered
	asked   int // calls of Read under way
	ended   int // those that have ended
	acting  int // calls of Act under way
	era     int // one more after each action: what was asked for before that is stale
}

var listName = regexp.MustCompile(`^[a-z][a-z0-9-]{0,31}$`)

// defaultRefresh is for how long an answer is kept.
const defaultRefresh = 5 * time.Second

func newHosted(p *Page, s panel.Source) *hosted {
	if s == nil {
		panic("inspect: nil panel")
	}
	h := &hosted{page: p, source: s, about: s.About(), answers: map[panel.Query]*answered{}}
	if h.about.Name == "" {
		panic(fmt.Sprintf("inspect: a %T has no name", s))
	}
	for _, l := range h.about.Lists {
		if !listName.MatchString(l.Name) {
			panic(fmt.Sprintf("inspect: panel %q: no list may have the name %q", h.about.Name, l.Name))
		}
	}
	if h.refresh = h.about.Refresh; h.refresh == 0 {
		h.refresh = defaultRefresh
	}
	h.refresh = max(h.refresh, time.Second)
	return h
}

// path returns the address of the panel, below that of the page.
func (h *hosted) path() string { return "panel/" + h.id + "/" }

// pathOf returns the address of what a panel refers to; nothing for what can have none.
func (h *hosted) pathOf(r panel.Ref) string {
	if h.list(r.List) == nil || len(r.ID) > longestID {
		return ""
	}
	path := h.path() + r.List
	if r.ID != "" {
		path += "/" + escapeID(r.ID)
	}
	return path
}

// list returns a list by its name, or nil.
func (h *hosted) list(name string) *panel.List {
	for i := range h.about.Lists {
		if h.about.Lists[i].Name == name {
			return &h.about.Lists[i]
		}
	}
	return nil
}

// hostedAt returns the panel that is at a path, and where in it; false if no panel is. The query
// has what an address can ask for beside.
func hostedAt(panels []*hosted, path string, q query) (h *hosted, at panel.Query, ok bool) {
	for _, h := range panels {
		rest, found := strings.CutPrefix(path, h.path())
		if !found {
			continue
		}
		if rest == "" {
			return h, at, true
		}
		list, id, isThing := strings.Cut(rest, "/")
		if at.List = list; h.list(list) == nil {
			return nil, at, false
		}
		if !isThing {
			at.Search, at.Choice, at.After = q.Search, q.Choice, q.After
			return h, at, true
		}
		at.ID, ok = unescapeID(id)
		return h, at, ok
	}
	return nil, at, false
}

// longestID is how long an ID may be that is in an address, in bytes.
const longestID = 512

// escapeID has an ID be one step of a path, whatever is in it: what is not plain becomes a tilde
// and two hexadecimal digits. Percent signs are no use, as servers undo those before they look at
// paths.
func escapeID(id string) string {
	var b strings.Builder
	for i := range len(id) {
		switch c := id[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '_',
			c == '.' && i > 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "~%02x", c)
		}
	}
	return b.String()
}

// unescapeID returns the ID; false if none is written like that.
func unescapeID(text string) (id string, ok bool) {
	id, err := url.PathUnescape(strings.ReplaceAll(text, "~", "%"))
	return id, err == nil && id != "" && len(id) <= longestID && escapeID(id) == text
}

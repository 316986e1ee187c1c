package inspect

import (
	"cmp"
	"hash/fnv"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/insight"
)

// index finds the periodic tasks of a pool by their addresses and names. It is made anew only when
// there are other tasks than before.
type index struct {
	seen    []executor.Handle // as the pool has told them last
	entries []*entry          // by name
	byID    map[string]*entry
	last    uint64 // serial number
}

// entry is a periodic task.
type entry struct {
	handle executor.Handle
	name   string
	lower  string // the name in lower case, to search
	id     string // in addresses
	number int    // among those of one name, from 0 on
	serial uint64 // from 1 on, and never that of another task of the pool
	asks   atomic.Pointer[inquiry]
	dead   *insight.Trouble // a failure has ended it; nil for those in an index
}

// inquiry returns how the calendar of the task is asked.
func (e *entry) inquiry() *inquiry {
	if e.asks.Load() == nil {
		e.asks.CompareAndSwap(nil, newInquiry())
	}
	return e.asks.Load()
}

// update looks at the tasks that there are now.
func (x *index) update(now []executor.Handle) {
	if x.byID != nil && slices.Equal(now, x.seen) {
		return
	}
	x.seen = now
	fresh := x.admit()
	slices.SortFunc(fresh, byName)
	for i, e := range fresh {
		from := 0
		if i > 0 && fresh[i-1].name == e.name {
			from = fresh[i-1].number + 1
		}
		x.identify(e, from)
	}
	x.entries = merge(x.entries, fresh)
}

// admit takes up what it has not known, without addresses yet, and forgets what is not there any
// more.
func (x *index) admit() (fresh []*entry) {
	known := make(map[executor.Handle]*entry, len(x.entries))
	for _, e := range x.entries {
		known[e.handle] = e
	}
	x.entries = make([]*entry, 0, len(x.seen)) // whoever looks still has what there was
	x.byID = make(map[string]*entry, len(x.seen))
	slab := make([]entry, 0, max(len(x.seen)-len(known), 0)) // one piece of memory for most
	for _, h := range x.seen {
		if e := known[h]; e != nil {
			x.entries = append(x.entries, e)
			x.byID[e.id] = e
			continue
		}
		name := h.Name()
		x.last++
		slab = append(slab, entry{handle: h, name: name, lower: strings.ToLower(name), serial: x.last})
		fresh = append(fresh, &slab[len(slab)-1])
	}
	slices.SortFunc(x.entries, byName)
	return fresh
}

// merge returns both, which are sorted, in order.
func merge(a, b []*entry) []*entry {
	if len(a) == 0 {
		return b
	}
	all := make([]*entry, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if byName(a[0], b[0]) <= 0 {
			all, a = append(all, a[0]), a[1:]
		} else {
			all, b = append(all, b[0]), b[1:]
		}
	}
	return append(append(all, a...), b...)
}

func byName(a, b *entry) int {
	if c := strings.Compare(a.lower, b.lower); c != 0 {
		return c
	}
	if c := strings.Compare(a.name, b.name); c != 0 {
		return c
	}
	return cmp.Compare(a.number, b.number)
}

// identify gives e an address that it keeps: a hash of its name, as names may be anything, and a
// number if others have the same name. So a task of a name of its own is found there even after the
// program has been started again. Numbers are tried from one on that may be free.
func (x *index) identify(e *entry, from int) {
	hash := hashed(e.name)
	for number := from; ; number++ {
		id := hash
		if number > 0 {
			id += "-" + strconv.Itoa(number)
		}
		if x.byID[id] == nil {
			e.id, e.number = id, number
			x.byID[id] = e
			return
		}
	}
}

// hashed returns the address of the first task of a name.
func hashed(name string) string {
	h := fnv.New64a()
	_, _ = io.WriteString(h, name)
	return strconv.FormatUint(h.Sum64(), 36)
}

// path returns the address of the task, below that of the page.
func (e *entry) path(of *source) string {
	if e.dead != nil {
		return of.path() + "ended/" + e.id
	}
	return of.path() + "task/" + e.id
}

// named returns how many tasks have this name.
func (x *index) named(name string) (n int) {
	first := &entry{name: name, lower: strings.ToLower(name)}
	at, _ := slices.BinarySearchFunc(x.entries, first, byName)
	for at+n < len(x.entries) && x.entries[at+n].name == name {
		n++
	}
	return n
}

// matching returns the entries whose names contain a text, in whatever case.
func (x *index) matching(text string) []*entry {
	if text == "" {
		return x.entries
	}
	text = strings.ToLower(text)
	var found []*entry
	for _, e := range x.entries {
		if strings.Contains(e.lower, text) {
			found = append(found, e)
		}
	}
	return found
}

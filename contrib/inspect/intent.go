package inspect

import (
	"crypto/rand"
	"slices"
	"time"
)

// intent is what is about to be done with several tasks: with exactly these, whatever their list
// shows when it is confirmed. It is the viewer's to whom its preview was shown.
//
//	kept -> taken    it is confirmed, once
//	kept -> dropped  after ten minutes, or when there are too many
type intent struct {
	id    string
	verb  string
	token string
	list  string // the address of the list
	query query
	tasks []planned
}

// planned is a task that is to be touched.
type planned struct {
	of *source
	*entry
}

const (
	// mostIntents is how many wait to be confirmed: each may be of all tasks that there are.
	mostIntents = 16
	intentKept  = 10 * time.Minute
)

// keep keeps an intent until it is confirmed.
func (p *Page) keep(n *intent) {
	n.id = rand.Text()
	p.mu.Lock()
	p.intents = append(p.intents, n)
	if len(p.intents) > mostIntents {
		p.intents = slices.Delete(p.intents, 0, 1)
	}
	p.mu.Unlock()
	time.AfterFunc(intentKept, func() {
		p.take(func(other *intent) bool { return other == n })
	})
}

// take returns the intent of which is reports true, which is not kept any more; or nil.
func (p *Page) take(is func(*intent) bool) *intent {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.IndexFunc(p.intents, is)
	if i < 0 {
		return nil
	}
	n := p.intents[i]
	p.intents = slices.Delete(p.intents, i, i+1)
	return n
}

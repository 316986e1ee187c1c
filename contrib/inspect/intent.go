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

	drop *time.Timer // when it is too old
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
	defer p.mu.Unlock()
	n.drop = time.AfterFunc(intentKept, func() {
		p.take(func(other *intent) bool { return other == n })
	})
	p.intents = append(p.intents, n)
	if len(p.intents) > mostIntents {
		p.takeLocked(0)
	}
}

// take returns the intent of which is reports true, which is not kept any more; or nil.
func (p *Page) take(is func(*intent) bool) *intent {
	p.mu.Lock()
	defer p.mu.Unlock()
	if i := slices.IndexFunc(p.intents, is); i >= 0 {
		return p.takeLocked(i)
	}
	return nil
}

func (p *Page) takeLocked(i int) *intent {
	n := p.intents[i]
	n.drop.Stop() // it would keep what is to be touched
	p.intents = slices.Delete(p.intents, i, i+1)
	return n
}

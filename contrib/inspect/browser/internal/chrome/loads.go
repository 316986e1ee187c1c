//go:build unix

package chrome

import (
	"sync"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
)

// loads follows which documents the top frame of a tab began and finished to
// load. A document that sends the browser on to another one may never finish,
// so what counts is the one that is in the frame now.
type loads struct {
	mu     sync.Mutex
	frames map[cdp.FrameID]cdp.LoaderID // the document in each frame now
	began  map[cdp.LoaderID]cdp.FrameID
	loaded map[cdp.LoaderID]bool
}

func newLoads() *loads {
	return &loads{
		frames: map[cdp.FrameID]cdp.LoaderID{},
		began:  map[cdp.LoaderID]cdp.FrameID{},
		loaded: map[cdp.LoaderID]bool{},
	}
}

// handle takes an event of the tab.
func (l *loads) handle(event any) {
	ev, ok := event.(*page.EventLifecycleEvent)
	if !ok {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch ev.Name {
	case "init":
		l.frames[ev.FrameID] = ev.LoaderID
		l.began[ev.LoaderID] = ev.FrameID
	case "load":
		l.loaded[ev.LoaderID] = true
	}
}

// done tells whether the frame that began to load a document has loaded that
// one or the one that took its place.
func (l *loads) done(id cdp.LoaderID) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	frame, ok := l.began[id]
	return ok && l.loaded[l.frames[frame]]
}

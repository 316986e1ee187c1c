package refuses

import (
	"encoding/json"
	"flag"
	"net/http"
	"time"
)

func changed(d time.Duration) {
	go func() {
		t := time.NewTicker(d)
		defer t.Stop()
		d *= 10
		for range t.C { // want `ad-hoc ticker`
			work()
		}
	}()
}

func ranged(ds []time.Duration) {
	var d time.Duration
	go func() {
		for { // want `ad-hoc ticker`
			time.Sleep(d)
			work()
		}
	}()
	for _, d = range ds {
		work()
	}
}

func result() (d time.Duration) {
	go func() {
		for { // want `ad-hoc ticker`
			time.Sleep(d)
			work()
		}
	}()
	return time.Second
}

func pointed() {
	d := time.Second
	flag.DurationVar(&d, "d", d, "")
	go func() {
		for { // want `ad-hoc ticker`
			time.Sleep(d)
			work()
		}
	}()
}

type settings struct {
	Every time.Duration
	every time.Duration
}

// Interval can be set by others.
var Interval = time.Second

func fields(s, u *settings, client *http.Client) {
	go func() {
		for { // want `ad-hoc ticker`
			time.Sleep(s.Every)
			work()
		}
	}()
	go func() {
		for { // want `ad-hoc ticker`
			time.Sleep(u.every)
			work()
		}
	}()
	go func() {
		for { // want `ad-hoc ticker`
			time.Sleep(client.Timeout)
			work()
		}
	}()
	go func() {
		for { // want `ad-hoc ticker`
			time.Sleep(Interval)
			work()
		}
	}()
	_ = json.Unmarshal(nil, s)
	*u = settings{}
}

type embedding struct{ *inner }

type inner struct{ every time.Duration }

func (e *embedding) replace(i *inner) { e.inner = i }

func (e *embedding) start() {
	go func() {
		for { // want `ad-hoc ticker`
			time.Sleep(e.every)
			work()
		}
	}()
}

package refuses

import (
	"encoding/json"
	"flag"
	"os/exec"
	"time"
)

func changed(d time.Duration) {
	// want +5 `ad-hoc ticker`
	go func() {
		t := time.NewTicker(d)
		defer t.Stop()
		d *= 10
		for range t.C {
			work()
		}
	}()
}

func ranged(ds []time.Duration) {
	var d time.Duration
	// want +2 `ad-hoc ticker`
	go func() {
		for {
			time.Sleep(d)
			work()
		}
	}()
	for _, d = range ds {
		work()
	}
}

func result() (d time.Duration) {
	// want +2 `ad-hoc ticker`
	go func() {
		for {
			time.Sleep(d)
			work()
		}
	}()
	return time.Second
}

func pointed() {
	d := time.Second
	flag.DurationVar(&d, "d", d, "")
	// want +2 `ad-hoc ticker`
	go func() {
		for {
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

func fields(s, u *settings, command *exec.Cmd) {
	// want +2 `ad-hoc ticker`
	go func() {
		for {
			time.Sleep(s.Every)
			work()
		}
	}()
	// want +2 `ad-hoc ticker`
	go func() {
		for {
			time.Sleep(u.every)
			work()
		}
	}()
	// want +2 `ad-hoc ticker`
	go func() {
		for {
			time.Sleep(command.WaitDelay)
			work()
		}
	}()
	// want +2 `ad-hoc ticker`
	go func() {
		for {
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
	// want +2 `ad-hoc ticker`
	go func() {
		for {
			time.Sleep(e.every)
			work()
		}
	}()
}

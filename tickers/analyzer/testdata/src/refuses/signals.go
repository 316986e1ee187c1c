package refuses

import (
	"context"
	"time"
)

type clock interface {
	After(time.Duration) <-chan time.Time
}

func rearmed(c clock, ctx context.Context) {
	// want +5 `ad-hoc ticker`
	go func() {
		t := time.NewTicker(time.Second)
		defer t.Stop()
		timeout := time.After(time.Minute)
		for {
			select {
			case <-timeout:
				return
			case <-t.C:
				if some() {
					timeout = time.After(time.Minute)
				}
			}
		}
	}()
	// want +4 `ad-hoc ticker`
	go func() {
		t := time.NewTicker(time.Second)
		defer t.Stop()
		for {
			select {
			case <-c.After(time.Minute):
				return
			case <-t.C:
				work()
			}
		}
	}()
	// want +3 `ad-hoc ticker`
	go func() {
		t := time.NewTicker(time.Second)
		for {
			select {
			case <-ctx.Done():
				return
			case <-t.C:
				ctx = context.Background()
			}
		}
	}()
}

func reassigned(ctx context.Context) {
	// want +3 `ad-hoc ticker`
	go func() {
		defer work()
		for {
			select {
			case <-ctx.Done():
				return
			case <-time.After(time.Second):
				ctx = context.Background()
			}
		}
	}()
}

// A sender waits until no body runs.

type service struct {
	quit, handed chan bool
	Done         chan struct{}
	replaced     chan struct{}
}

func (s *service) stop() {
	s.quit <- true
	work()
}

func newService(handed chan bool) *service {
	return &service{handed: handed}
}

func (s *service) restart() {
	close(s.replaced)
	s.replaced = make(chan struct{})
	go s.start(nil)
}

type other struct{ done chan struct{} }

func newOther(done chan struct{}) other { return other{done} }

func (s *service) start(parameter chan bool) {
	local := make(chan bool)
	given := local
	send(given)
	until := func(c *chan bool, o other) {
		// want +2 `ad-hoc ticker`
		go func() {
			for {
				select {
				case <-*c:
					return
				case <-time.After(time.Second):
					work()
				}
			}
		}()
		// want +2 `ad-hoc ticker`
		go func() {
			for {
				select {
				case <-o.done:
					return
				case <-time.After(time.Second):
					work()
				}
			}
		}()
	}
	until(&local, other{})
	// want +2 `ad-hoc ticker`
	go func() {
		for {
			select {
			case <-s.quit:
				return
			case <-time.After(time.Second):
				work()
			}
		}
	}()
	// want +2 `ad-hoc ticker`
	go func() {
		for {
			select {
			case <-s.handed:
				return
			case <-time.After(time.Second):
				work()
			}
		}
	}()
	// want +2 `ad-hoc ticker`
	go func() {
		for {
			select {
			case <-s.Done:
				return
			case <-time.After(time.Second):
				work()
			}
		}
	}()
	// want +2 `ad-hoc ticker`
	go func() {
		for {
			select {
			case <-s.replaced:
				return
			case <-time.After(time.Second):
				work()
			}
		}
	}()
	// want +2 `ad-hoc ticker`
	go func() {
		for {
			select {
			case <-parameter:
				return
			case <-time.After(time.Second):
				work()
			}
		}
	}()
	// want +2 `ad-hoc ticker`
	go func() {
		for {
			select {
			case <-given:
				return
			case <-time.After(time.Second):
				work()
			}
		}
	}()
}

func alias(parameter chan bool) {
	alias := parameter
	// want +2 `ad-hoc ticker`
	go func() {
		for {
			select {
			case <-alias:
				return
			case <-time.After(time.Second):
				work()
			}
		}
	}()
}

func send(c chan<- bool) { c <- true }

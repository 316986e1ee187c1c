package sight

import (
	"time"

	"github.com/punctual-go/punctual/executor/internal/run"
)

// Config says what is to be watched. The options of package executor fill it in; the zero Config
// asks for nothing that costs anything.
type Config struct {
	Observed  bool // there are observers, or a recording
	Observers Observers
	Measure   func(*Sight) any          // shows how late and how long runs are, which it asks for
	Explain   *time.Duration            // explain runs that are later, and log that; nil for none
	History   func(*Sight) any          // shows what has happened lately, which it asks for
	Snap      *time.Duration            // explain those that are later to Snaps; nil for none
	Snaps     run.Hooks[Snap]           // are told of late runs
	OnHealth  run.Hooks[Follower]       // are told of the health
	Record    func(*run.Owner) Recorder // begins a recording; nil if none is wanted
}

// Snap is called for a run that is very late. It calls user code by guard, on another goroutine.
type Snap = func(run run.Info, late Lateness, guard func(hook func()))

// Follower compares an executor.Health with the one it has told of last, and returns what tells of
// the new one; nil if there is nothing to tell.
type Follower = func(health any) (tell func())

// ConfigOf returns what the settings say of that, to be filled in.
func ConfigOf(s *run.Settings) *Config {
	if s.Watch == nil {
		s.Watch = new(Config)
	}
	return s.Watch.(*Config)
}

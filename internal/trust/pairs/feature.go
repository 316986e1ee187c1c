package pairs

import (
	"context"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/serial"
)

// Feature is something that a user can ask for. Which of its functions are set depends on what it
// is.
type Feature struct {
	Name string
	API  []string // the exported names that it covers

	hosts hosts  // those on which it can have an effect; 0 means all
	ways  ways   // the ways in for tasks on which it can have one; 0 means all
	group string // of these a program has at most one; "" if that does not matter
	index int    // in allFeatures

	// shape changes a program so that the feature probably has an effect on the task.
	shape func(d *draft, t *task, u *use)

	option  func(l *life, u *use) []executor.Option              // of an executor
	lane    func(l *life, u *use) serial.Option                  // of a serial executor
	task    func(l *life, t *task, u *use) []executor.TaskOption // of a task
	way     ways                                                 // the way in that it is
	submit  func(l *life, r *record, opts []executor.TaskOption)
	body    func(l *life, r *record, b *bodyRun, ctx context.Context) error
	command func(l *life, r *record, u *use) // r is nil if it is for the executor
	ofTask  bool                             // the command is for a task
	ender   bool                             // its effect is the end of a task
	behave  func(l *life, r *record)         // how a callback behaves
	policy  func(l *life, f *Feature) executor.RejectionPolicy
	end     func(l *life)

	callback bool                  // it makes the executor call a function of the user
	observed func(l *life, u *use) // marks effects that only the whole record shows
}

// use is a feature in a program. All that is random about it follows from the number.
type use struct {
	*Feature
	n uint64
}

// pick draws a number below n; the index tells several draws apart.
func (u *use) pick(index, n int) int { return int(mix(u.n+uint64(index)*0x9e37) % uint64(n)) }

// hosts is a set of kinds of executors.
type hosts uint8

const (
	plain hosts = 1 << iota
	scheduled
	loop

	pools    = plain | scheduled
	timed    = scheduled | loop
	anywhere = plain | scheduled | loop
)

func (h hosts) String() string {
	switch h {
	case plain:
		return "pool"
	case scheduled:
		return "scheduled pool"
	case loop:
		return "loop"
	}
	return "hosts"
}

// allFeatures has all of them. The order decides which pair a seed is about. The other lists are
// parts of it.
var (
	allFeatures []*Feature
	allWays     []*Feature
	allPolicies []*Feature
	allEndings  []*Feature
)

var byName = map[string]*Feature{}

// mix is a hash (splitmix64).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

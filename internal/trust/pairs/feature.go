package pairs

// Feature is something that a user can ask for. What it does is in its definition.
type Feature struct {
	Name string
	API  []string // the exported names that it covers

	hosts hosts  // those on which it can have an effect; 0 means all
	ways  ways   // the ways in for tasks on which it can have one; 0 means all
	group string // of these a program has at most one; "" if that does not matter
	kind  kind   // by the list that has it
	index int    // in allFeatures

	way      ways // the way in that it is
	ofTask   bool // the command is for a task
	ender    bool // its effect is the end of a task
	callback bool // it makes the executor call a function of the user
}

// kind is how a user asks for a feature.
type kind uint8

const (
	anOption    kind = iota // an option of an executor, or of its lanes
	aTaskOption             // an option of a task
	aWay                    // a way in
	aBody                   // how a body goes on
	aCommand                // a command to a task, or to an executor
	aBehaviour              // how a callback goes on
	anEnding                // a way to end an executor
)

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

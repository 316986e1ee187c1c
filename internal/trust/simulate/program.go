package simulate

import "runtime/debug"

// program simulates tasks that submit other tasks and wait for them: by every method, with contexts
// of all origins, and from every call site. It never hangs by a fault of its own: a wait that no
// executor can see is limited; see limitUnsafe.
//
// What is common to its parts is here: the hosts and the jobs. The generator draws calls, the player
// makes them, the threads are the model of who runs what, and the judge checks it; see parts.go.
//
// The invariants: no more bodies are active (they run and do not wait) than the size of the host;
// every wait ends, and in time; ErrSelfWait is returned exactly when a task waits for itself, and
// at once; and the context of a run ends with the run.
type program struct {
	*simulation
	generator *generator
	player    *player
	judge     *judge
	threads   *threads
	callbacks *callbacks

	hosts       []*host
	resizable   bool
	queuePanics bool // the queue panics
	abruptEnd   bool // the hosts are ended while tasks run

	jobs   []*job
	byName map[string]*job
}

// newProgram returns a program without hosts.
func newProgram(sim *simulation) *program {
	p := &program{simulation: sim, byName: map[string]*job{}}
	p.generator = &generator{program: p}
	p.player = &player{program: p}
	p.judge = &judge{program: p}
	p.threads = &threads{program: p, goroutines: map[uint64]*goroutine{}}
	p.callbacks = &callbacks{program: p}
	return p
}

// withLock calls do with the lock held. A mistake of the simulation must not pass for a failure of
// a task, which recovers panics.
func (p *program) withLock(do func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	defer func() {
		if v := recover(); v != nil {
			p.faultLocked(&p.report.Stuck, "the program itself: %v\n%s", v, debug.Stack())
		}
	}()
	do()
}

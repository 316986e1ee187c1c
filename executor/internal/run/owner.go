package run

import "sync/atomic"

// Owner is a pool or a loop, as seen by the runs of its tasks. It is made of parts, each of which
// says which fields it has, and who may touch them.
type Owner struct {
	Env

	Settling  // of tasks
	Maker     // of plans
	Admission // of tasks that come
	Register  // of series
	Views     // of tasks
	Waits     // of tasks
	WallWatch // by what waits on the wall clock
	Control   // by commands
	Endings   // of tasks without a run
	Overruns  // of runs

	// Open sets these.
	watcher   Watcher
	Tap       Tap  // the same, if it is told of runs; nil while nothing watches them
	Watched   bool // there are hooks around runs, or a tap
	described bool // and they are told which run it is

	ends  Tap         // is told of the ends of runs; nil while it is not; the lock guards it
	heeds atomic.Bool // the same, to be read without the lock
}

// Make puts the owner together around what its parts share. It is called once, and before Open.
func (o *Owner) Make(env Env) {
	o.Env = env
	of := &o.Env
	o.Settling.Env, o.Admission.Env, o.Register.Env, o.Views.Env, o.Waits.Env = of, of, of, of, of
	o.Maker = NewMaker(of, Labelled(env.Base, env.Name, ""))
	o.WallWatch.Env, o.WallWatch.waits, o.WallWatch.views = of, &o.Waits, &o.Views
	o.Control = Control{Env: of, waits: &o.Waits, watch: &o.WallWatch}
	o.Endings = Endings{Env: of, settling: &o.Settling, waits: &o.Waits, views: &o.Views}
	o.Overruns = Overruns{Env: of, settling: &o.Settling, views: &o.Views}
}

// Open makes the owner ready for its first task: w watches it. It is called once. Runs says whether
// w is to be told of runs, tasks whether it is to be told of all that becomes of tasks as well, and
// hooked whether the owner has hooks around runs.
func (o *Owner) Open(w Watcher, runs, tasks, hooked bool) {
	o.Sight, o.watcher = w, w
	if runs || tasks {
		o.Tap, o.ends = w, w
		o.heeds.Store(true)
	}
	o.Observed, o.described, o.Watched = tasks, tasks || hooked, runs || tasks || hooked
}

// HeedEndsLocked has the sight told of the ends of all runs from now on, though it is not the tap.
// The lock is held.
func (o *Owner) HeedEndsLocked() {
	o.ends = o.watcher
	o.heeds.Store(true)
}

// HeedsEnds reports whether the sight is told of the ends of runs. It takes no lock.
func (o *Owner) HeedsEnds() bool { return o.heeds.Load() }

// CancelledLocked is called when the owner has found that a task was cancelled. The lock is held.
func (o *Owner) CancelledLocked(pl *Plan) {
	if o.ends != nil { // else no failure can have ended a task
		o.Sight.CancelledLocked(pl)
	}
}

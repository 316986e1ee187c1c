package engine

// limitLocked returns up to how many workers may be started. A pool of core size 0 has one while
// there is something to do.
func (cr *Crew) limitLocked() int {
	if cr.pool.plain && (cr.pool.GrowFirst || cr.overfullLocked()) {
		return cr.maximumSizeLocked()
	}
	return max(cr.core, 1)
}

// sizeAsMade returns how many tasks a pool that has just been made may run at a time: the maximum
// size if it comes to that before all else.
func (cr *Crew) sizeAsMade() int {
	if cr.pool.plain && (cr.pool.GrowFirst || cr.capacity() == 0) {
		return cr.maximumSizeLocked()
	}
	return max(cr.core, 1)
}

// overfullLocked reports whether more tasks wait than may, so that a plain pool has to grow.
func (cr *Crew) overfullLocked() bool {
	if cr.capacity() == Unbounded {
		return false
	}
	waiting := cr.pool.waiting.queue.Len()
	return waiting > 0 && waiting+cr.pool.Door.outsideLocked() > cr.capacity()
}

// ceilingLocked returns how many workers may go on while there is something to do. In a plain pool
// those that a burst has added stay until they are idle, as in the JDK.
func (cr *Crew) ceilingLocked() int {
	if cr.pool.plain {
		return cr.maximumSizeLocked()
	}
	return cr.limitLocked()
}

// maximumSizeLocked returns the maximum size in effect.
func (cr *Crew) maximumSizeLocked() int {
	if cr.maximum == 0 {
		return max(cr.core, 1)
	}
	return cr.maximum
}

// capacity returns how many tasks may wait in the queue.
func (cr *Crew) capacity() int {
	if cr.pool.plain {
		return cr.pool.Capacity
	}
	return Unbounded
}

// freeLocked returns how many workers are free, on their way, or may be started, with so many more
// that are about to become free.
func (cr *Crew) freeLocked(more int) int {
	p := cr.pool
	occupied := len(cr.workers) - cr.lot.Idle() - cr.lot.Coming() - more
	// Helpers occupy the places of workers, but a caller who runs a task by itself brings its own.
	if p.loans.waits.helping > 0 {
		occupied = max(occupied, p.loans.activeLocked()-p.loans.waits.callers)
	}
	return max(cr.maximumSizeLocked()-occupied, 0)
}

// surplusLocked reports whether an idle worker may go.
func (cr *Crew) surplusLocked() bool {
	return len(cr.workers) > cr.core || cr.pool.coreTimeout.Load()
}

// confines reports whether the pool promises that no two runs are ever active.
func (p *Pool) confines() bool { return p.SizesFixed }

// allowanceLocked returns how many runs may be active: the size of the pool, and the callers, which
// run tasks beside the workers.
func (ls *loans) allowanceLocked() int {
	size := ls.pool.Crew.ceilingLocked()
	if size > 1<<30 { // unbounded; to add to it could overflow
		return size
	}
	return size + ls.waits.callers
}

// mostLocked returns how many runs may be active at the very most, with those in excess of the
// allowance.
func (ls *loans) mostLocked() int {
	allowance := ls.allowanceLocked()
	if ls.pool.confines() || allowance > 1<<30 {
		return allowance
	}
	return allowance + ls.pool.Crew.ceilingLocked()
}

// overdrawnLocked reports whether so many runs are active that workers must not take another task.
// Only helpers can bring that about, so without one it costs next to nothing to ask.
func (ls *loans) overdrawnLocked() bool {
	return ls.waits.helping > 0 && ls.activeLocked() >= ls.allowanceLocked()
}

// outsideLocked returns how many of the tasks that wait outside the queue take room in it: those
// held back behind another, and those that wait for their time. Where nothing may queue, under
// HandOff, none do: there they wait without bound.
func (d *Door) outsideLocked() int {
	p := d.pool
	if p.Crew.capacity() == 0 {
		return 0
	}
	return p.waiting.heldBack + len(p.waiting.deferred)
}

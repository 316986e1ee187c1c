package run

// Supply is whether there are workers for what is due, as the sight of an owner finds out. The lock
// of the owner guards it, and the sight alone sets it.
type Supply uint8

// The states of the supply; package sight says what leads from one to another.
const (
	Calm     Supply = iota // nothing is known to lack a worker
	Watching               // all workers are busy; in a while it is looked whether they still are
	Lacking                // something that is due has lacked a worker for long
)

// Watching reports whether the supply is looked at already. The lock is held.
func (o *Owner) Watching() bool { return o.Supply == Watching }

// Short reports whether the owner is short of workers. The lock is held.
func (o *Owner) Short() bool { return o.Supply == Lacking }

// RecheckShortageLocked ends a shortage that is over. It is called when that may be so. The lock is
// held.
func (o *Owner) RecheckShortageLocked() {
	if o.Supply == Lacking { // so much is inlined
		o.Sight.RecheckShortageLocked()
	}
}

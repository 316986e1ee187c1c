package insight

// View is what can be seen of a pool, an event loop or a supervisor: the Insight method of each
// returns it. It is as of the moment of each call, may be kept, and may be used by several
// goroutines at once. It calls no user code. What its methods return stays as it is, and is to be
// read only: the reasons of late runs are shared.
type View interface {
	// Measurements returns what has been measured since the executor was made; nothing if it is not
	// watched, see [Config], and nothing for a supervisor. It copies 1 KiB for each name with the
	// executor locked.
	Measurements() Measurements

	// History returns what has happened lately; without History in the [Config], and for a
	// supervisor, nothing. It takes the lock for some microseconds, and for O(n) with n tasks of
	// which something is expected, or whose last run failed.
	History() History

	// Health returns how the executor is. It takes the lock for O(n) with n tasks of which something
	// is expected. Nothing is expected of the cycles of a supervisor: it is down once it is stopped,
	// and else ok.
	Health() Health
}

// Source is what can be looked at: a pool, an event loop or a supervisor. Pages and metrics take
// any number of them, see the module contrib/inspect and package metrics.
type Source interface {
	// String returns its state on one line.
	String() string
	// Insight returns what can be seen of it.
	Insight() View
}

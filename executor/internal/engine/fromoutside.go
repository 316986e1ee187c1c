package engine

// A pool that was made outside of testing/synctest bubbles lives in real time. Used inside of one,
// its workers would wait for times that do not come. Its clock shows that: bubbles begin in the
// year 2000, so there it is before its beginning. A pool from inside, used elsewhere, is found by
// the runtime, which lets nobody else use the channels of a bubble.

// fromOutside is what is wrong then.
const fromOutside = "the pool is used in a testing/synctest bubble and was made outside of it; " +
	"make it inside"

// isFromOutside reports whether a reading of the pool's clock shows that it is used in a bubble,
// and was not made there.
func isFromOutside(now int64) bool { return now < 0 }

// stayLocked is called before a worker is started. In the wrong bubble it ends the process, as the
// runtime does: that is better than a test that never ends. It panics on another goroutine, whose
// deferred calls do not need the lock that is held.
func (cr *Crew) stayLocked() {
	if isFromOutside(cr.pool.clock.Now()) {
		go panic("executor: " + fromOutside)
	}
}

// Package move moves a pool of package cluster from one nats-server to another, or to a cluster of
// them, with everything that it has: what waits and what is due, series, outcomes, keys of Once and
// the failed set. Futures keep their IDs.
//
//	punctual move --from nats://old:4222 --to nats://a:4222 --replicas 3 --pool tasks
//
// First stop all processes that serve the pool; afterwards let those that use it join at the new
// place. Run one move at a time. What it does, in this order:
//
//	refuse    if the pool is served, or if the destination has a pool of the name
//	freeze    the old streams take nothing any more, and are marked: Join, and all that had joined,
//	          get ErrMoved. What is submitted meanwhile is refused, or was stored before and moves
//	copy      each stream, by the server's snapshots. At the destination it is marked as arriving,
//	          so that nobody can join, the queue first and until the last
//	carry     runs whose time came during the copy
//	compare   messages, sequences and consumers of both sides
//	open      the destination
//
// If a step before the last fails, or the command is interrupted, the destination's streams are
// removed, and the old pool goes on. If the command is killed, the pool stays frozen: run it again,
// which begins anew and ends as if nothing had happened, or run it with --back.
//
// The old streams stay, frozen and marked. Remove them, or the old server, when the new one has
// proved itself. Due schedules there become runs that nobody gets.
//
// What is copied passes through the system's temporary directory, where a run that is killed leaves
// it. The user of both servers needs to publish to $JS.API.> and $JS.SNAPSHOT.>, at the destination
// also to punctual.<pool>.>, and to subscribe to _INBOX.>, at the source also to $JS.ACK.> and
// $JS.API.>.
package move

// Command punctual shows what the pools of package cluster on a nats-server have, and acts on them:
// for people who operate a service, and for scripts.
//
//	punctual list                         what there is, by the names of tasks
//	punctual list tasks --state due       tasks, the oldest first
//	punctual show series report nightly   next times, and the last runs
//	punctual pause report nightly         and resume, trigger
//	punctual cancel task ID
//	punctual redrive --task mail          run again what has failed for good
//
// It connects to --server, or $NATS_URL. With --json it writes one JSON value instead of a table;
// times are RFC 3339, durations nanoseconds.
//
// What changes something writes one line to the standard error: who, what and to which pool; and
// the same is kept with the pool for thirty days, see "punctual list audit".
//
// It exits with 0 if all was done, 1 for an error, 2 for wrong use, 3 if there is no such pool,
// task or series, 4 if the server does not allow it, and 5 if no server answers.
package main

// Package control holds tests alone: commands to a series from outside and from inside, series that
// choose their next time, retries, and runs that come too late; on pools and on event loops.
package control

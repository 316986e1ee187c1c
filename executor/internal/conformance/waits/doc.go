// Package waits holds tests alone: tasks that wait for others of their own pool, with whosever
// context, rows C4 and C10.
package waits

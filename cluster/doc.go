// Package cluster carries tasks beyond one process: they survive a crash, each series is run by one
// replica at a time, and the load is spread over all that serve it. The engine is NATS JetStream;
// this package is a client of it.
package cluster

// Package tpe holds tests alone: what executor.Pool keeps of java.util.concurrent's
// ThreadPoolExecutor, rows TPE: sizes, queues, hooks, counters, life cycle and rejection.
package tpe

// Package stpe holds tests alone: what executor.ScheduledPool keeps of java.util.concurrent's
// ScheduledThreadPoolExecutor, rows STPE and K (its known bugs, and complaints about it), and what
// it has beyond that: catching up, jitter, timeouts, failures of series, Close. As a timer it
// passes the suite of timer/timertest.
package stpe

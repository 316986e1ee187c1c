// Package inspectcluster shows pools of package cluster on the page of package inspect, beside the
// process's own: tasks by name and state, what has failed, series with their last runs, workers and
// what they run, and what was done by hand.
//
//	page := inspect.Handler(jobs).With(
//		inspect.Panels(inspectcluster.New(pool, inspectcluster.Options{})),
//		inspect.Actions(isOperator))
//
// What is wrong stands on the index of the page: tasks that have failed for good, or that nobody
// serves, or that wait for too long; series that should have run, and those whose last run failed.
//
// Those who may act there can run failed tasks again or discard them, cancel tasks, and pause,
// resume, trigger and cancel series. On a server with users the pool needs a connection that may do
// that: of the role [github.com/punctual-go/punctual/cluster/rights.Operator]. That of a Viewer
// shows everything, and actions are refused. That of a Worker or Submitter shows nothing: join once
// more for the page.
//
// The server is asked while it is looked at, once in five seconds for each view that is looked at,
// however many viewers there are.
package inspectcluster

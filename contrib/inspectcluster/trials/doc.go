// Package trials has the tests of contrib/inspectcluster with a server.
package trials

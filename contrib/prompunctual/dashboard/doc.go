// Package dashboard tests the dashboard of prompunctual: that it asks only for metrics and labels
// that there are. It is a module of its own, so that those who use prompunctual do not require a
// parser of queries.
package dashboard

// Package dashboard tests promcluster, and otelcluster beside it, with a server and workers: that
// the figures are those of the fleet, that a scrape ends whatever the server does, and that the
// dashboard and the alerts ask only for metrics and labels that there are. It is a module of its
// own, so that the server and a parser of queries are no requirements of those modules.
package dashboard

package prompunctual

import _ "embed" // for the file

// Dashboard is a dashboard for Grafana, as JSON, over the metrics of this package with classic
// histograms: how the pools are, what they do, how late runs are and why, how long they take, and a
// table of tasks. It asks for the data source, and which pools and tasks to show. Import it, or
// write it to where Grafana looks for provisioned dashboards.
//
//go:embed dashboard.json
var Dashboard []byte

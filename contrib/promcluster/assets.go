package promcluster

import _ "embed" // for the files

// Dashboard is a dashboard for Grafana, as JSON, over the metrics of this package: whether the
// fleet is well, what waits and for how long, who works, and the series. It asks for the data
// source, and which pools and tasks to show. Import it, or write it to where Grafana looks for
// provisioned dashboards.
//
//go:embed dashboard.json
var Dashboard []byte

// Alerts are rules for Prometheus, as YAML, over the metrics of this package: a file for rule_files
// in its configuration. Their limits are to be changed to one's own.
//
//go:embed alerts.yaml
var Alerts []byte

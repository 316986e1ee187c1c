// Package text is how runs and durations are written: in a line, in JSON, and in a structured log.
package text

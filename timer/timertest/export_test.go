package timertest

import (
	"testing"
	"time"
)

// CheckNames returns the names of all checks.
func CheckNames() []string {
	var names []string
	for _, k := range checks() {
		names = append(names, k.name)
	}
	return names
}

// Failures runs one check, and returns what it has found, and whether it applies.
func Failures(t *testing.T, f Facility, name string) (found []string, applies bool) {
	for _, k := range checks() {
		if k.name == name && k.missing(f) == "" {
			return k.failures(t, f, 300*time.Millisecond), true
		}
	}
	return nil, false
}

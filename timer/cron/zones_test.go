package cron_test

import (
	_ "embed"
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // some machines have no tables of zones

	"github.com/stretchr/testify/require"
)

// zoneNames has the names of all zones of package time/tzdata: those of lib/time/zoneinfo.zip in
// the Go distribution.
//
//go:embed testdata/zones.txt
var zoneNames string

// allZones are the names of all zones.
func allZones() []string { return strings.Fields(zoneNames) }

// zoneOf returns the zone of the name.
func zoneOf(t testing.TB, name string) *time.Location {
	zone, err := time.LoadLocation(name)
	require.NoError(t, err)
	return zone
}

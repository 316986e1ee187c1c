package cron_test

import (
	"encoding/csv"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/timer/cron"
)

// vector is a row of testdata/vectors.csv: a line, and when it comes.
type vector struct {
	id, kind, line, filter, zone, gap, repeat, class, from, next string
}

// vectors returns the rows. They were found by asking the definition about every minute, or second.
func vectors(t testing.TB) (rows []vector) {
	file, err := os.Open("testdata/vectors.csv")
	require.NoError(t, err)
	defer file.Close()
	records, err := csv.NewReader(file).ReadAll()
	require.NoError(t, err)
	for _, r := range records[1:] {
		rows = append(rows, vector{r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7], r[8], r[9]})
	}
	return rows
}

// parse parses the line of the row, with its options.
func (v vector) parse(t testing.TB) (cron.Schedule, error) {
	zone, err := time.LoadLocation(v.zone)
	require.NoError(t, err)
	opts := []cron.Option{cron.Zone(zone)}
	if v.gap == "Skip" {
		opts = append(opts, cron.Gap(cron.Skip))
	}
	switch v.repeat {
	case "Last":
		opts = append(opts, cron.Repeat(cron.Last))
	case "Both":
		opts = append(opts, cron.Repeat(cron.Both))
	}
	if v.kind == "cron6" {
		return cron.ParseSeconds(v.line, opts...)
	}
	return cron.Parse(v.line, opts...)
}

func TestEveryVector(t *testing.T) {
	for _, v := range vectors(t) {
		if v.filter != "" {
			continue // package calendar has filters
		}
		t.Run(v.id, func(t *testing.T) {
			s, err := v.parse(t)
			if v.next == "reject" {
				var wrong *cron.ParseError
				require.ErrorAs(t, err, &wrong)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, v.class == "interval", s.Interval())
			at, err := time.Parse(time.RFC3339Nano, v.from)
			require.NoError(t, err)
			for _, want := range strings.Fields(v.next) {
				at = s.Next(at)
				if want == "never" {
					assert.True(t, at.IsZero(), "got %v", at)
					return
				}
				require.Equal(t, want, at.UTC().Format(time.RFC3339Nano))
			}
		})
	}
}

package inspect

import (
	"fmt"
	"html/template"
	"strings"

	"github.com/punctual-go/punctual/executor/insight"
)

// chart is a histogram that is shown.
type chart struct {
	distribution
	Buckets []bucket `json:"buckets"` // those with anything in them

	counts [insight.Buckets]uint64
	bounds [insight.Buckets]span
}

// bucket counts what is shorter than its bound and no shorter than that of the one before.
type bucket struct {
	Below span   `json:"below"`
	Count uint64 `json:"count"`
}

func newChart(h *insight.Histogram) *chart {
	c := &chart{counts: h.Counts}
	if d := newDistribution(h.Distribution()); d != nil {
		c.distribution = *d
	}
	for i, n := range h.Counts {
		c.bounds[i] = span(h.Bound(i))
		if n > 0 {
			c.Buckets = append(c.Buckets, bucket{c.bounds[i], n})
		}
	}
	return c
}

// Picture draws the columns: four pixels a bucket, two buckets an octave.
func (c *chart) Picture() template.HTML {
	var most uint64 = 1
	for _, n := range c.counts {
		most = max(most, n)
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg viewBox="0 0 %d 64" preserveAspectRatio="none" role="img" `+
		`aria-label="histogram: half below %s, 99 %% below %s, longest %s">`,
		4*len(c.counts), c.P50, c.P99, c.Max)
	fmt.Fprintf(&b, `<path class="ground" d="M0 63.5H%d"/>`, 4*len(c.counts))
	for i, n := range c.counts {
		if n == 0 {
			continue
		}
		h := 2 + int(60*float64(n)/float64(most))
		var from span
		if i > 0 {
			from = c.bounds[i-1]
		}
		fmt.Fprintf(&b, `<rect class="column" x="%d" y="%d" width="3" height="%d"><title>%s to %s: %s`+
			`</title></rect>`, 4*i, 63-h, h, from, c.bounds[i], numbered(n, "run"))
	}
	b.WriteString("</svg>")
	return template.HTML(b.String())
}

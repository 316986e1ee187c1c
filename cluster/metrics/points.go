package metrics

import "strings"

// points are those of a metric, while they are read.
type points struct {
	pool string
	list []Point
	at   map[string]int // where that with some attributes is
}

// of returns the point with some attributes beside the pool.
func (p *points) of(attributes []string) *Point {
	key := strings.Join(attributes, "\x00")
	i, ok := p.at[key]
	if !ok {
		i = len(p.list)
		p.list = append(p.list, Point{Attributes: append([]string{p.pool}, attributes...)})
		if p.at == nil {
			p.at = map[string]int{}
		}
		p.at[key] = i
	}
	return &p.list[i]
}

// add adds a value to that of the point with some attributes.
func (p *points) add(value float64, attributes ...string) { p.of(attributes).Value += value }

// atLeast makes the point with some attributes at least as great as a value, which is not negative.
func (p *points) atLeast(value float64, attributes ...string) {
	to := p.of(attributes)
	to.Value = max(to.Value, value)
}

package metrics

// points are those of a metric, while they are read.
type points struct {
	pool string // whose points are being read
	list []Point
}

// add adds a point of the pool.
func (p *points) add(value float64, attributes ...string) {
	attributes = append([]string{p.pool}, attributes...)
	p.list = append(p.list, Point{Attributes: attributes, Value: value})
}

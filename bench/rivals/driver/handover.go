package driver

import "sync"

// Scheduled tasks are handed over by the parcel, so that it costs the same few nanoseconds for each
// on every system: four operations of channels, shared by all that is in a parcel. A lane has some
// parcels, so that goroutines which take turns on a processor need not after each.
const (
	inParcel = 32
	inLane   = 8
)

type parcel struct {
	tasks [inParcel]stopper
	n     int
}

// lane leads from one goroutine to another. Its parcels come back empty, so that nothing is
// allocated on the way, and who is far ahead waits.
type lane struct{ full, empty chan *parcel }

func newLane() lane {
	l := lane{make(chan *parcel, inLane), make(chan *parcel, inLane)}
	for range inLane {
		l.empty <- new(parcel)
	}
	return l
}

// courier hands over tasks to be cancelled on one lane, and cancels what comes on another.
type courier struct {
	out, in   lane
	packing   *parcel
	cancelled int
}

// hand hands over one more.
func (c *courier) hand(t stopper) {
	if c.packing == nil {
		c.packing = c.fetch()
	}
	p := c.packing
	p.tasks[p.n] = t
	if p.n++; p.n == inParcel {
		c.out.full <- p // there is room for all parcels
		c.packing = nil
	}
}

// fetch returns an empty parcel, and meanwhile empties what has come: so two couriers that wait for
// each other go on.
func (c *courier) fetch() *parcel {
	for come := c.in.full; ; {
		select {
		case p := <-c.out.empty:
			return p
		case p, ok := <-come:
			if !ok {
				come = nil
				continue
			}
			c.open(p)
		}
	}
}

// open cancels what is in a parcel, and sends it back.
func (c *courier) open(p *parcel) {
	for _, t := range p.tasks[:p.n] {
		c.stop(t)
	}
	clear(p.tasks[:p.n])
	p.n = 0
	c.in.empty <- p
}

func (c *courier) stop(t stopper) {
	if t.Stop() {
		c.cancelled++
	}
}

// end sends off what is packed, and says that nothing follows.
func (c *courier) end() {
	if c.packing != nil {
		c.out.full <- c.packing
	}
	close(c.out.full)
}

// empty cancels what comes until nothing follows.
func (c *courier) empty() {
	for p := range c.in.full {
		c.open(p)
	}
}

// together has f run at once for each i below n, in a goroutine of its own. The meter is started
// when all are there.
func together(n int, f func(i int)) (m meter, wait func()) {
	var there, all sync.WaitGroup
	begin := make(chan struct{})
	there.Add(n)
	for i := range n {
		all.Go(func() {
			there.Done()
			<-begin
			f(i)
		})
	}
	there.Wait()
	m = startMeter()
	close(begin)
	return m, all.Wait
}

package main

import (
	"math/rand/v2"
	"sync/atomic"
	"time"
)

// race withdraws tasks at about the moment at which they are due, in virtual time exactly then. No
// task may begin that was withdrawn, and each must begin that was not.
func (p *player) race(n int) error {
	submit, err := p.verb(step{verb: "after", times: []time.Duration{time.Millisecond}})
	if err != nil {
		return err
	}
	begun, withdrawn := make([]atomic.Bool, n), make([]bool, n)
	for i := range n {
		wait := 900*time.Microsecond + rand.N[time.Duration](3)*100*time.Microsecond
		h, err := submit(func() { begun[i].Store(true) })
		if err != nil {
			return err
		}
		if h.withdraw == nil {
			return unable(lacks["withdraw"])
		}
		time.Sleep(wait)
		withdrawn[i] = h.withdraw() == yes
	}
	time.Sleep(100 * time.Millisecond)
	bad := int64(0)
	for i := range n {
		if begun[i].Load() == withdrawn[i] {
			bad++
		}
	}
	p.note(event{what: "raced", a: int64(n), b: bad})
	return nil
}

// handover has bodies write plain variables, which are read as soon as the outcome is there. On
// processors that reorder stores, or under the race detector, a missing happens-before shows.
func (p *player) handover(n int) error {
	submit, err := p.verb(step{verb: "soon"})
	if err != nil {
		return err
	}
	var bad int64
	for i := range n {
		var page [64]int
		h, err := submit(func() {
			for k := range page {
				page[k] = i + k + 1
			}
		})
		if err != nil {
			return err
		}
		if h.get == nil {
			return unable(lacks["get"])
		}
		h.get(patience)
		for k := range page {
			if page[k] != i+k+1 {
				bad++
				break
			}
		}
	}
	p.note(event{what: "handover", a: int64(n), b: bad})
	return nil
}

package driver

import (
	"fmt"
	"runtime"
	"time"

	"github.com/punctual-go/punctual/bench/rivals/workload"
)

// pairs schedules and cancels from several goroutines. Two of them are partners: of two tasks that
// one schedules, it cancels the first itself, and the other is cancelled by its partner. One that is
// left over cancels all of its own.
func pairs(w work) (workload.Figures, error) {
	n, ops := w.count("goroutines"), w.count("ops")
	s := w.open()
	others := make([]stopper, w.count("pending"))
	kept, err := w.fill(s, others, workload.NewRandom(), time.Minute, time.Hour)
	defer func() { s.shutdown(kept) }()
	if err != nil {
		return nil, err
	}
	couriers := make([]courier, n)
	for i := 1; i < n; i += 2 {
		there, back := newLane(), newLane()
		couriers[i-1].out, couriers[i-1].in = there, back
		couriers[i].out, couriers[i].in = back, there
	}
	return w.inCrowd(s, couriers, ops, func(i int) {
		c := courier{out: couriers[i].out, in: couriers[i].in}
		arm, random := s.after(nothing), workload.RandomOf(i)
		for k := range share(ops, n, i) {
			t := arm(time.Minute + time.Duration(random.Below(int64(time.Hour-time.Minute))))
			if c.out.full == nil || k%2 == 0 {
				c.stop(t)
			} else {
				c.hand(t)
			}
		}
		if c.out.full != nil {
			c.end()
			c.empty()
		}
		couriers[i].cancelled = c.cancelled // once, so that neighbours do not share a line meanwhile
	})
}

// timeouts has servers set a timeout for each request, which another goroutine cancels, as the
// request has ended.
func timeouts(w work) (workload.Figures, error) {
	const limit = 30 * time.Second
	servers, ops := w.count("servers"), w.count("ops")
	s := w.open()
	defer s.shutdown(nil) // all are cancelled
	couriers := make([]courier, 2*servers)
	for i := range servers {
		requests := newLane()
		couriers[i].out, couriers[servers+i].in = requests, requests
	}
	return w.inCrowd(s, couriers, ops, func(i int) {
		c := courier{out: couriers[i].out, in: couriers[i].in}
		if i >= servers {
			c.empty()
			couriers[i].cancelled = c.cancelled
			return
		}
		arm := s.after(nothing)
		for range share(ops, servers, i) {
			c.hand(arm(limit))
		}
		c.end()
	})
}

// inCrowd measures what is done at once, which must cancel so many tasks.
func (w work) inCrowd(s session, couriers []courier, ops int, f func(i int)) (workload.Figures, error) {
	runtime.GC()
	m, wait := together(len(couriers), f)
	wait()
	end := time.Now()
	if err := w.settle(s); err != nil {
		return nil, err
	}
	figures := m.until(end, ops)
	cancelled := 0
	for _, c := range couriers {
		cancelled += c.cancelled
	}
	if cancelled != ops {
		return nil, fmt.Errorf("%d tasks were cancelled, not %d", cancelled, ops)
	}
	return figures, nil
}

// share is what the one numbered i has to do of so much work for n.
func share(work, n, i int) int { return work*(i+1)/n - work*i/n }

// askers submit tasks and wait for their results, each one by one.
func askers(w work) (workload.Figures, error) {
	n, ops := w.count("askers"), w.count("ops")
	s := w.open()
	defer s.shutdown(nil)
	numbers := make([]number, n)
	asks := make([]func() int, n)
	for i := range asks {
		asks[i] = s.ask(numbers[i].next)
	}
	runtime.GC()
	m, wait := together(n, func(i int) {
		for range share(ops, n, i) {
			asks[i]()
		}
	})
	wait()
	figures := m.per(ops)
	for i := range numbers {
		if err := numbers[i].check(share(ops, n, i)); err != nil {
			return nil, err
		}
	}
	return figures, nil
}

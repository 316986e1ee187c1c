package main

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"
)

// question is a line whose next time is asked for, or that is parsed.
type question struct {
	name, line string
	right      func(time.Time) bool // whether an answer may be right; nil if it is parsed only
}

func questions() []question {
	return []question{
		{"every 5 min", "*/5 * * * *", func(t time.Time) bool { return t.Minute()%5 == 0 }},
		{"daily", "0 3 * * *", func(t time.Time) bool { return t.Hour() == 3 }},
		{"Mon–Fri", "0 9 * * 1-5", func(t time.Time) bool { return t.Hour() == 9 && (t.Weekday()+6)%7 < 5 }},
		{"yearly", "0 0 1 1 *", func(t time.Time) bool { return t.YearDay() == 1 }},
		{"leap day", "0 0 29 2 *", func(t time.Time) bool { return t.Month() == 2 && t.Day() == 29 }},
		{"never", "0 0 31 2 *", time.Time.IsZero},
		{"parse", "*/15 8-17 * * 1-5", nil},
	}
}

// instants is how many times are asked about, the same of all systems.
const instants = 64

// cell is what one system has cost for one question, in one zone.
type cell struct {
	rounds      []float64 // nanoseconds
	allocations float64
	wrong       bool
}

// result has the cells of a question in a zone.
type result struct {
	question string
	zone     string
	cells    []cell // in the order of systems
}

// measureAll measures all systems by turns, in each round.
func measureAll(ctx context.Context, rounds int, length time.Duration) ([]result, error) {
	var results []result
	for _, q := range questions() {
		for _, zone := range []string{"UTC", "America/New_York"} {
			if q.right == nil && zone != "UTC" {
				continue
			}
			location, err := time.LoadLocation(zone)
			if err != nil {
				return nil, err
			}
			r := result{q.name, zone, make([]cell, len(systems()))}
			for range rounds {
				for _, i := range rand.Perm(len(r.cells)) {
					if ctx.Err() != nil {
						return nil, context.Cause(ctx)
					}
					if err := r.cells[i].measure(systems()[i], q, location, length); err != nil {
						return nil, err
					}
				}
			}
			results = append(results, r)
		}
	}
	return results, nil
}

// measure adds a round.
func (c *cell) measure(s system, q question, zone *time.Location, length time.Duration) error {
	schedule, err := s.parse(q.line, false, policies{})
	if err != nil {
		return err
	}
	times := timesOf(zone)
	once := func(i int) { schedule.Next(times[i%instants]) }
	if q.right == nil {
		once = func(int) { _, _ = s.parse(q.line, false, policies{}) }
	}
	if c.rounds == nil {
		for i := range times {
			c.wrong = c.wrong || q.right != nil && !q.right(schedule.Next(times[i]))
		}
		i := 0
		c.allocations = testing.AllocsPerRun(instants, func() { once(i); i++ })
	}
	n := 0
	begin := time.Now()
	for time.Since(begin) < length {
		for range instants {
			once(n)
			n++
			if n%instants == 1 && time.Since(begin) > length {
				break // it is slow
			}
		}
	}
	c.rounds = append(c.rounds, float64(time.Since(begin).Nanoseconds())/float64(n))
	return nil
}

// timesOf returns times of two years.
func timesOf(zone *time.Location) (times [instants]time.Time) {
	random := rand.New(rand.NewPCG(1, 2)) // the same for all
	first := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range times {
		times[i] = first.Add(time.Duration(random.Int64N(int64(2 * 365 * 24 * time.Hour)))).In(zone)
	}
	return times
}

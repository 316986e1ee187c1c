package main

import (
	"slices"
	"time"

	"github.com/punctual-go/punctual/bench/soak/drill"
	"github.com/punctual-go/punctual/internal/trust/chaos"
	"github.com/punctual-go/punctual/internal/trust/history"
	"github.com/punctual-go/punctual/internal/trust/litmus"
	features "github.com/punctual-go/punctual/internal/trust/pairs"
	"github.com/punctual-go/punctual/internal/trust/simulate"
)

// row is a line of the table: one kind of one part, how much of it there is to be, and what has
// come of it.
type row struct {
	section  section
	part     drill.Part
	kind     string
	raceful  bool  // under the race detector
	alone    bool  // its processes want all processors
	seedOps  int64 // operations for each seed; 0 if the part decides
	target   int64 // operations; years of the years
	chunk    int64 // operations for each process, about
	perSeed  int64 // operations that come of a seed, about
	single   bool  // a seed is a whole process
	first    int64 // operations for the first process of a soak that goes by the time
	weight   float64
	worked   int64         // operations that have been done, in such a soak
	spent    time.Duration // on them
	promised time.Duration // to processes at work
	issued   int64         // operations that processes have been started for
	seed     uint64
	failed   int // processes
	report   drill.Report
	outcomes []litmus.Outcome
}

// schedule is what is to be done. Its rows advance together, so that a soak that is broken off has
// done something of each.
type schedule struct {
	rows   []*row
	clock  *clock // of a soak that goes by the time; else nil
	noRace bool   // there is no race detector here
}

// newSchedule returns the rows for the options.
func newSchedule(o options, raceDetector bool) *schedule {
	s := &schedule{noRace: o.parts[racing] && !raceDetector}
	if o.length > 0 {
		s.clock = &clock{length: o.length, now: time.Now}
	}
	kinds := int64(len(simulate.Kinds()))
	perSeed := max(1, o.ops/o.seeds)
	if o.parts[virtual] {
		for _, k := range simulate.Kinds() {
			s.add(&row{section: virtual, part: drill.Virtual, kind: k.Name, seedOps: perSeed, perSeed: perSeed,
				target: up(o.ops, kinds), chunk: 1_000_000, seed: o.seed})
		}
	}
	if o.parts[pairs] {
		s.add(&row{section: pairs, part: drill.Pairs, perSeed: lifeOps, target: o.lives * lifeOps, chunk: 200_000,
			seed: o.seed})
	}
	if o.parts[linear] {
		for _, k := range history.Kinds() {
			s.add(&row{section: linear, part: drill.Linear, kind: k.Name, perSeed: historyOps,
				target: up(o.checked, int64(len(history.Kinds()))), chunk: 250_000, seed: o.seed})
		}
	}
	if o.parts[races] {
		for _, p := range litmus.Pairs() {
			s.add(&row{section: races, part: drill.Litmus, kind: p.Name, alone: true, single: true,
				target: o.rounds, chunk: 500_000, seed: o.seed, outcomes: p.Outcomes})
		}
	}
	if o.parts[unruly] {
		for _, k := range chaos.Kinds() {
			s.add(&row{section: unruly, part: drill.Chaos, kind: k.Name, perSeed: roundOps,
				target: up(o.raced, int64(len(chaos.Kinds()))), chunk: 500_000, seed: o.seed})
		}
	}
	if o.parts[racing] && raceDetector {
		s.addRacing(o, perSeed)
	}
	if o.parts[years] {
		s.add(&row{section: years, part: drill.Years, single: true, target: o.years, chunk: o.years, seed: o.seed})
	}
	return s
}

// addRacing adds what is done under the race detector: one half in virtual time, with pairs as one
// of its facilities, the other in real.
func (s *schedule) addRacing(o options, perSeed int64) {
	n := int64(len(simulate.Kinds())) + 1
	s.add(&row{section: racing, part: drill.Pairs, raceful: true, perSeed: lifeOps,
		target: up(o.raced/2, n), chunk: 50_000, seed: o.seed + 1<<32})
	for _, k := range simulate.Kinds() {
		s.add(&row{section: racing, part: drill.Virtual, kind: k.Name, raceful: true, seedOps: perSeed, perSeed: perSeed,
			target: up(o.raced/2, n), chunk: 200_000, seed: o.seed + 1<<32})
	}
	n = int64(len(chaos.Kinds()))
	for _, k := range chaos.Kinds() {
		s.add(&row{section: racing, part: drill.Chaos, kind: k.Name, raceful: true, perSeed: roundOps,
			target: up(o.raced/2, n), chunk: 200_000, seed: o.seed + 1<<32})
	}
}

// What one seed makes, about; what it really was is told.
const (
	historyOps = 50
	roundOps   = 500
	lifeOps    = 20
)

func (s *schedule) add(r *row) {
	r.first, r.weight = max(1, r.chunk/100), 1
	s.rows = append(s.rows, r)
}

// begin starts the clock, and gives each row its share of the time.
func (s *schedule) begin() {
	if s.clock == nil {
		return
	}
	s.clock.began = s.clock.now()
	rows := map[section]float64{}
	for _, r := range s.rows {
		rows[r.section]++
	}
	for _, r := range s.rows {
		r.weight = weights[r.section] / rows[r.section]
	}
}

func up(n, d int64) int64 { return (n + d - 1) / d }

// next returns the row that is behind the others; nil if there is no more to do.
func (s *schedule) next() *row {
	open := slices.DeleteFunc(slices.Clone(s.rows), func(r *row) bool { return r.over(s.clock != nil) })
	if len(open) == 0 {
		return nil
	}
	if s.clock != nil {
		return behind(open)
	}
	return slices.MinFunc(open, func(a, b *row) int {
		switch x, y := a.advance(), b.advance(); {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
}

// job takes a job of a row. In a soak that goes by the time it also returns how long it is to take.
func (s *schedule) job(r *row) (drill.Job, time.Duration) {
	if s.clock != nil {
		return r.timed(s.clock, len(s.rows))
	}
	return r.take(min(r.chunk, r.left())), 0
}

// The first lives are about any two features, those that follow about so many of the pairs that
// have been effective least.
const (
	anyPair = 50_000
	rarest  = 1000
)

// enough is after how many failures of its processes a row is given up: more of the same tell
// nothing new.
const enough = 3

func (r *row) over(endless bool) bool { return r.failed >= enough || !endless && r.left() <= 0 }

// left is how many operations have not been done, nor are being done.
func (r *row) left() int64 { return r.target - r.issued }

func (r *row) advance() float64 { return float64(r.issued) / float64(r.target) }

// take takes the next seeds, for about so many operations.
func (r *row) take(ops int64) drill.Job {
	j := drill.Job{Part: r.part, Kind: r.kind, Seed: r.seed, Seeds: 1, Ops: ops}
	if !r.single {
		j.Seeds, j.Ops = up(ops, r.perSeed), r.seedOps
		ops = j.Seeds * r.perSeed
	}
	if r.part == drill.Pairs && r.report.Seeds > anyPair {
		j.About = features.CountsOf(r.report.Seen).Rarest(rarest)
	}
	r.issued += ops
	r.seed += uint64(j.Seeds)
	return j
}

// done enters what has come of a job that was to do about so many operations.
func (r *row) done(j drill.Job, report drill.Report) {
	if !r.single && r.seedOps == 0 { // it was a guess; otherwise the seeds count
		r.issued += report.Ops - j.Seeds*r.perSeed
	}
	if !report.Clean() {
		r.failed++
	}
	if r.worked += report.Ops; r.part == drill.Years {
		r.worked += j.Ops - report.Ops
	}
	r.report.Add(report)
}

func (s *schedule) clean() bool {
	return !s.noRace && !slices.ContainsFunc(s.rows, func(r *row) bool { return !r.report.Clean() || len(r.unseen()) > 0 })
}

// unseen returns the acceptable outcomes of a pair that should have shown in so many rounds.
func (r *row) unseen() (names []string) {
	if r.report.Ops < 10_000 {
		return nil
	}
	for _, o := range r.outcomes {
		if o.Grade == litmus.Acceptable && r.report.Seen[o.Name] == 0 {
			names = append(names, o.Name)
		}
	}
	return names
}

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/punctual-go/punctual/bench/soak/drill"
)

// work starts process after process until the schedule is done, the time is over, or ctx ends. In
// the last two cases the processes at work finish what they have, or are killed.
func (s *schedule) work(ctx context.Context, o options, b *binaries, notes io.Writer) {
	s.begin()
	ctx, stop := s.limit(ctx)
	defer stop()
	p := newProgress(notes, s, o.length)
	defer p.end()
	places := semaphore.NewWeighted(int64(o.parallel))
	var mu sync.Mutex // guards the schedule
	var all sync.WaitGroup
	for n := 0; s.clock == nil || s.clock.left() > 0; n++ {
		mu.Lock()
		r := s.next()
		mu.Unlock()
		if r == nil {
			all.Wait() // what has really been done may be less than was thought
			if r = s.next(); r == nil {
				break
			}
		}
		weight := int64(1)
		if r.alone {
			weight = int64(o.parallel)
		}
		if places.Acquire(ctx, weight) != nil {
			break
		}
		mu.Lock()
		job, length := s.job(r)
		mu.Unlock()
		all.Go(func() {
			defer places.Release(weight)
			began := time.Now()
			report := r.do(ctx, job, o, b, n, p)
			mu.Lock()
			defer mu.Unlock()
			r.done(job, report)
			r.returned(length, time.Since(began)*time.Duration(weight))
		})
	}
	all.Wait()
}

// overrun is how long after its time a soak waits for processes that have not noticed.
const overrun = 5 * time.Second

// limit bounds a soak that goes by the time.
func (s *schedule) limit(ctx context.Context) (context.Context, context.CancelFunc) {
	if s.clock == nil {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, s.clock.left()+overrun)
}

// do has a process do the job, and keeps the job if it fails.
func (r *row) do(ctx context.Context, job drill.Job, o options, b *binaries, n int, show *progress) drill.Report {
	job.Out = o.out
	p := &process{binary: b.plain, job: job, procs: processors(job.Part, n)}
	if r.raceful {
		p.binary = b.race
	}
	var told int64
	p.heard = func(done int64) {
		show.add(r, done-told)
		told = done
	}
	report := p.run(ctx)
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		report.Notes = append(report.Notes, fmt.Sprintf("%s %s: ended at seed %d, as the time was over", r.label(), r.kind,
			uint64(report.Seeds)+job.Seed))
	}
	if report.Clean() || ctx.Err() != nil {
		return report
	}
	report.Faults = append(report.Faults, keep(kept{Job: job, Race: r.raceful, Report: report}, o.out))
	return report
}

// processors varies how many there are. A litmus test is none with one.
func processors(part drill.Part, n int) int {
	if part == drill.Litmus {
		return max(2, runtime.NumCPU())
	}
	return []int{runtime.NumCPU(), 1, 8}[n%3]
}

// kept is the file of a job that has failed.
type kept struct {
	Job    drill.Job
	Race   bool
	Report drill.Report
}

// keep writes the file, for the first seed that is known to have failed, and says where it is.
func keep(k kept, dir string) string {
	k.Job.Length, k.Report.Seen = 0, nil
	if len(k.Report.Bad) > 0 && k.Job.Seeds > 1 {
		k.Job.Seed, k.Job.Seeds = k.Report.Bad[0], 1
	}
	path := filepath.Join(dir, fmt.Sprintf("job-%s-%s-%d.json", word(string(k.Job.Part)), word(k.Job.Kind), k.Job.Seed))
	text, err := json.MarshalIndent(k, "", "\t")
	if err == nil {
		err = os.WriteFile(path, text, 0o644)
	}
	if err != nil {
		return "the job could not be kept: " + err.Error()
	}
	return "kept as " + path
}

// word makes a name fit for a file.
func word(name string) string {
	out := []rune(name)
	for i, r := range out {
		if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') {
			out[i] = '-'
		}
	}
	return string(out)
}

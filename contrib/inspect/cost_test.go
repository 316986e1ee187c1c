package inspect_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/contrib/inspect"
	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/insight"
	"github.com/punctual-go/punctual/timer/cron"
)

// BenchmarkView has what a new snapshot and its page take, with a hundred thousand periodic tasks.
func BenchmarkView(b *testing.B) {
	p := executor.NewScheduledPool(2, executor.Name("many"),
		executor.Watch(insight.Config{History: true}))
	defer p.Close()
	for i := range 100_000 {
		_, err := p.AtFixedRate(hour, hour, sleep(0), executor.Name(fmt.Sprintf("tenant %06d", i)))
		require.NoError(b, err)
	}
	eachView(b, []inspect.Source{p}, "", "pool/many/", "pool/many/tasks", "pool/many/tasks?page=500",
		"pool/many/tasks?q=99", "pool/many/tasks?sort=next")
	b.Run("50 sources with 100,000 tasks", func(b *testing.B) {
		eachView(b, fifty(b), "", "tasks", "tasks?page=500", "tasks?q=99", "tasks?state=waiting&page=500",
			"tasks?state=failing", "tasks?sort=next")
	})
}

// eachView has what views take: the first of a page, and later ones.
func eachView(b *testing.B, sources []inspect.Source, paths ...string) {
	for _, path := range paths {
		b.Run("/"+path, func(b *testing.B) {
			costs(b, func() { get(b, inspect.Handler(sources...), "/"+path) }) // it has no snapshot
		})
		b.Run("again/"+path, func(b *testing.B) {
			page := inspect.Handler(sources...).With(inspect.Actions(anybody))
			get(b, page, "/"+path)
			costs(b, func() {
				page.Forget()
				get(b, page, "/"+path)
			})
		})
	}
}

// costs has what a call takes, of the processors as well: all of them together.
func costs(b *testing.B, f func()) {
	before := processor()
	for b.Loop() {
		f()
	}
	b.ReportMetric(float64(processor()-before)/1e6/float64(b.N), "ms-processors/op")
}

// fifty returns fifty pools, each with two thousand periodic tasks.
func fifty(b *testing.B) (sources []inspect.Source) {
	for k := range 50 {
		p := executor.NewScheduledPool(2, executor.Name(fmt.Sprintf("pool-%02d", k)),
			executor.Watch(insight.Config{History: true}))
		b.Cleanup(func() { _ = p.Close() })
		for i := range 2000 {
			_, err := p.AtFixedRate(hour, hour, sleep(0), executor.Name(fmt.Sprintf("tenant %06d", 50*i+k)))
			require.NoError(b, err)
		}
		sources = append(sources, p)
	}
	return sources
}

// BenchmarkCancelMany has what it takes to cancel ten thousand of a hundred thousand tasks, and how
// long another call to their pool took at most: before, and meanwhile.
func BenchmarkCancelMany(b *testing.B) {
	var alone, meanwhile time.Duration
	for b.Loop() {
		b.StopTimer()
		p := executor.NewScheduledPool(2, executor.Name("many"), executor.Watch(insight.Config{History: true}))
		for i := range 100_000 {
			_, err := p.AtFixedRate(hour, hour, sleep(0), executor.Name(fmt.Sprintf("tenant %06d", i)))
			require.NoError(b, err)
		}
		page := inspect.Handler(p).With(inspect.Actions(anybody), inspect.Logger(slog.New(slog.DiscardHandler)))
		r := selects(b, page, "pool/many/tasks?q=tenant+00", "cancel", "found")
		confirm := confirms(b, r, answer(page, r))
		alone = max(alone, longestCall(p, func() { time.Sleep(50 * ms) }))
		b.StartTimer()
		meanwhile = max(meanwhile, longestCall(p, func() {
			require.Contains(b, answer(page, confirm).Body.String(), "10\u202f000 tasks cancelled")
		}))
		b.StopTimer()
		_ = p.Close()
		b.StartTimer()
	}
	b.ReportMetric(float64(alone)/1e3, "µs-longest-alone")
	b.ReportMetric(float64(meanwhile)/1e3, "µs-longest-meanwhile")
}

// longestCall returns how long a call to a pool takes at most while f runs.
func longestCall(p *executor.ScheduledPool, f func()) (longest time.Duration) {
	stop := make(chan struct{})
	var calls sync.WaitGroup
	calls.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			began := time.Now()
			p.Stats()
			longest = max(longest, time.Since(began))
		}
	})
	f()
	close(stop)
	calls.Wait()
	return longest
}

// BenchmarkPlan has what the view of a pool takes in which as much is planned as can be.
func BenchmarkPlan(b *testing.B) {
	p := executor.NewScheduledPool(1, executor.Name("jobs"))
	defer p.Close()
	p.Pause()
	for i := range 2000 {
		_, err := p.AtFixedRate(time.Second, time.Second, sleep(0), executor.Name(fmt.Sprintf("tenant %04d", i)))
		require.NoError(b, err)
	}
	page := inspect.Handler(p)
	for b.Loop() {
		page.Forget()
		get(b, page, "/pool/jobs/")
	}
}

// BenchmarkPlanOfCalendars has the same for calendars, for the first viewer and for others.
func BenchmarkPlanOfCalendars(b *testing.B) {
	p := executor.NewScheduledPool(1, executor.Name("jobs"))
	defer p.Close()
	p.Pause()
	for i := range 2000 {
		_, err := p.On(cron.MustParse("* * * * *"), sleep(0), executor.Name(fmt.Sprintf("tenant %04d", i)))
		require.NoError(b, err)
	}
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			get(b, inspect.Handler(p), "/pool/jobs/")
		}
	})
	b.Run("again", func(b *testing.B) {
		page := inspect.Handler(p)
		for b.Loop() {
			page.Forget()
			get(b, page, "/pool/jobs/")
		}
	})
}

// BenchmarkLock has how long what a snapshot asks of a pool takes, with a hundred thousand periodic
// tasks. The pool is locked for no longer, and for Series much shorter: its lock has a benchmark of
// its own, BenchmarkEnrolled.
func BenchmarkLock(b *testing.B) {
	p := executor.NewScheduledPool(2, executor.Name("many"),
		executor.Watch(insight.Config{History: true}))
	defer p.Close()
	var h executor.Handle
	for i := range 100_000 {
		f, err := p.AtFixedRate(hour, hour, sleep(0), executor.Name(fmt.Sprintf("tenant %06d", i)))
		require.NoError(b, err)
		h = f.Handle
	}
	for _, call := range []struct {
		name string
		f    func()
	}{
		{"Stats", func() { p.Stats() }},
		{"Health", func() { p.Insight().Health() }},
		{"Running", func() { p.Running() }},
		{"Next", func() { p.Next(1000) }},
		{"Series", func() { p.Series() }},
		{"History", func() { p.Insight().History() }},
		{"Measurements", func() { p.Insight().Measurements() }},
		{"Status", func() { h.Status() }},
	} {
		b.Run(call.name, func(b *testing.B) {
			for b.Loop() {
				call.f()
			}
		})
	}
}

// BenchmarkViewers has what a busy pool does in a second, alone and with ten viewers of its page.
// The two alternate within a run.
func BenchmarkViewers(b *testing.B) {
	p := executor.NewScheduledPool(2, executor.Name("jobs"),
		executor.Watch(insight.Config{History: true}))
	defer p.Close()
	page := inspect.Handler(p)
	server := httptest.NewServer(page)
	defer server.Close()
	defer page.Close()
	var runs [2]float64
	for b.Loop() {
		for with := range 2 {
			ctx, cancel := context.WithCancel(b.Context())
			var viewers sync.WaitGroup
			for range 10 * with {
				viewers.Go(func() { view(ctx, server.URL+"/pool/jobs/") })
			}
			runs[with] += float64(busy(b, p, time.Second))
			cancel()
			viewers.Wait()
		}
	}
	b.ReportMetric(runs[0]/float64(b.N), "alone/s")
	b.ReportMetric(runs[1]/float64(b.N), "viewed/s")
	b.ReportMetric(runs[1]/runs[0], "ratio")
}

// view reads a stream until ctx ends.
func view(ctx context.Context, url string) {
	r, _ := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	r.Header.Set("Accept", "text/event-stream")
	if answer, err := http.DefaultClient.Do(r); err == nil {
		_, _ = io.Copy(io.Discard, answer.Body)
		_ = answer.Body.Close()
	}
}

// busy submits tasks of ten microseconds, as many as are done, and returns how many that were.
func busy(b *testing.B, p *executor.ScheduledPool, d time.Duration) (n int) {
	free := make(chan struct{}, 64)
	for end := time.Now().Add(d); time.Now().Before(end); n++ {
		free <- struct{}{}
		require.NoError(b, p.Execute(func(context.Context) error {
			for end := time.Now().Add(10 * time.Microsecond); time.Now().Before(end); {
			}
			<-free
			return nil
		}))
	}
	return n
}

// BenchmarkStand has what it takes to find out where a run stands, in a process of so many
// goroutines, and for how long all were stopped at most.
func BenchmarkStand(b *testing.B) {
	for _, n := range []int{100, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			p := executor.NewScheduledPool(1, executor.Name("jobs"))
			held := make(chan struct{})
			defer p.Close()
			defer close(held)
			for range n {
				go func() { <-held }()
			}
			require.NoError(b, p.Execute(func(context.Context) error { <-held; return nil }, executor.Name("import")))
			require.Eventually(b, func() bool { return p.Stats().Busy == 1 }, time.Minute, ms)
			var longest time.Duration
			for b.Loop() {
				found, _, stopped := inspect.Stand("jobs", "import")
				require.Equal(b, 1, found)
				longest = max(longest, stopped)
			}
			b.ReportMetric(float64(longest)/1e3, "µs-stopped")
		})
	}
}

package prompunctual_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/punctual-go/punctual/contrib/prompunctual"
	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/insight"
)

func Example() {
	jobs := executor.NewScheduledPool(4, executor.Name("jobs"),
		executor.Watch(insight.Config{ExplainLate: 10 * time.Millisecond}))
	defer jobs.Close()
	if err := prompunctual.Register(prometheus.DefaultRegisterer, jobs); err != nil {
		log.Fatal(err)
	}
	http.Handle("/metrics", promhttp.Handler())

	refresh := func(context.Context) error { return nil }
	f, err := jobs.AtFixedRate(0, time.Millisecond, refresh, executor.Name("refresh"), executor.MaxRuns(3))
	if err != nil {
		log.Fatal(err)
	}
	<-f.Stopped()
	jobs.Close() // the third run has been counted then

	answer := httptest.NewRecorder()
	http.DefaultServeMux.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	for line := range strings.Lines(answer.Body.String()) {
		if strings.HasPrefix(line, "punctual_run_duration_seconds_count") {
			fmt.Print(line)
		}
	}
	// Output:
	// punctual_run_duration_seconds_count{pool="jobs",task=""} 0
	// punctual_run_duration_seconds_count{pool="jobs",task="refresh"} 3
}

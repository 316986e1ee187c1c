package inspect_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/punctual-go/punctual/contrib/inspect"
	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/insight"
	"github.com/punctual-go/punctual/executor/runlog"
)

func Example() {
	jobs := executor.NewScheduledPool(4, executor.Name("jobs"),
		executor.Watch(insight.Config{History: true}))
	defer jobs.Close()

	mux := http.NewServeMux()
	mux.Handle("/punctual/", inspect.Handler(jobs))
	mux.Handle("/livez", inspect.Health(jobs)) // 503 once it is shut down, or stuck
	mux.Handle("/readyz", inspect.Ready(jobs)) // 503 while it takes no tasks

	for _, path := range []string{"/punctual/pool/jobs/", "/livez", "/readyz"} {
		answer := httptest.NewRecorder()
		mux.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, path, nil))
		fmt.Println(answer.Code, answer.Header().Get("Content-Type"))
	}
	// Output:
	// 200 text/html; charset=utf-8
	// 200 application/json
	// 200 application/json
}

func ExampleActions() {
	isOperator := func(r *http.Request) bool { return r.Header.Get("Role") == "operator" }
	jobs := executor.NewScheduledPool(4, executor.Name("jobs"))
	defer jobs.Close()

	page := inspect.Handler(jobs).With(inspect.Actions(func(r *http.Request) bool {
		return isOperator(r) // asked for each action, and for whether to show the buttons
	}))

	answer := httptest.NewRecorder()
	page.ServeHTTP(answer, httptest.NewRequest(http.MethodPost, "/pool/jobs/", nil))
	fmt.Println(answer.Code)
	// Output: 403
}

func ExampleWho() {
	jobs := executor.NewScheduledPool(4, executor.Name("jobs"))
	defer jobs.Close()

	page := inspect.Handler(jobs).With(inspect.Actions(func(*http.Request) bool { return true }))
	page.With(inspect.Who(func(r *http.Request) string {
		name, _, _ := r.BasicAuth() // which something in front of the page has verified
		return name
	}))

	mux := http.NewServeMux()
	mux.Handle("/punctual/", basicAuth("ops", "from the environment", page))
	answer := httptest.NewRecorder()
	mux.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/punctual/", nil))
	fmt.Println(answer.Code)
	// Output: 401
}

func ExampleRunLog() {
	logger := slog.New(runlog.Handler(slog.NewJSONHandler(os.Stderr, nil))) // or the default one
	runs := runlog.New(runlog.Config{})
	jobs := executor.NewScheduledPool(4, executor.Name("jobs"), executor.Observe(runs.Observer()))
	defer jobs.Close()

	mux := http.NewServeMux()
	mux.Handle("/punctual/", inspect.Handler(jobs).With(inspect.RunLog(runs)))

	_ = jobs.Execute(func(ctx context.Context) error {
		logger.InfoContext(ctx, "copied", "table", "users")
		return nil
	}, executor.Name("copy"))
	jobs.Close() // waits for it

	answer := httptest.NewRecorder()
	mux.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/punctual/pool/jobs/", nil))
	fmt.Println(strings.Contains(answer.Body.String(), "Tasks whose runs have logged"))
	// Output: true
}

func ExampleRedact() {
	jobs := executor.NewScheduledPool(4, executor.Name("jobs"),
		executor.Watch(insight.Config{History: true}), executor.Logger(slog.New(slog.DiscardHandler)))
	defer jobs.Close()

	secret := regexp.MustCompile(`(token|password)=\S+`)
	page := inspect.Handler(jobs).With(inspect.Redact(func(text string) string {
		return secret.ReplaceAllString(text, "$1=…")
	}))

	poll, err := jobs.AtFixedRate(0, time.Hour, func(context.Context) error {
		return errors.New("GET /prices?token=abc: 503")
	}, executor.Name("poll"), executor.FailurePolicy(executor.StopSeries))
	if err != nil {
		log.Fatal(err)
	}
	_, _ = poll.Get(context.Background()) // until it has failed

	answer := httptest.NewRecorder()
	page.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/", nil))
	fmt.Println(regexp.MustCompile("GET [^<]*").FindString(answer.Body.String()))
	// Output: GET /prices?token=… 503
}

// One page can have several pools, and anything else that has a view: event loops, supervisors.
func ExampleHandler() {
	jobs := executor.NewScheduledPool(4, executor.Name("jobs"), executor.Watch(insight.Config{History: true}))
	defer jobs.Close()
	calls := executor.NewPool(20, executor.Name("calls"))
	defer calls.Close()

	mux := http.NewServeMux()
	mux.Handle("/punctual/", inspect.Handler(jobs, calls))

	answer := httptest.NewRecorder()
	mux.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/punctual/", nil))
	fmt.Println(answer.Code)
	// Output: 200
}

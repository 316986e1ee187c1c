package inspect_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/punctual-go/punctual/contrib/inspect"
	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/insight"
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

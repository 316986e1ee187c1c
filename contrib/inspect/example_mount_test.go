package inspect_test

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"

	"github.com/punctual-go/punctual/contrib/inspect"
	"github.com/punctual-go/punctual/executor"
)

// basicAuth lets through who knows the password. Over plain HTTP everybody on the way reads it, so
// it belongs behind TLS.
func basicAuth(user, password string, next http.Handler) http.Handler {
	same := func(a, b string) bool { // takes as long for any two texts
		x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
		return subtle.ConstantTimeCompare(x[:], y[:]) == 1
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		u, p, ok := r.BasicAuth()
		if !ok || !same(u, user) || !same(p, password) {
			w.Header().Set("WWW-Authenticate", `Basic realm="punctual"`)
			http.Error(w, "who is it?", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// A page behind a password: who knows it may see and do everything.
func ExampleHandler_basicAuth() {
	jobs := executor.NewScheduledPool(4, executor.Name("jobs"))
	defer jobs.Close()
	page := inspect.Handler(jobs).With(inspect.Actions(func(*http.Request) bool { return true }))

	mux := http.NewServeMux()
	mux.Handle("/punctual/", basicAuth("ops", "from the environment", page))

	for _, password := range []string{"", "guessed", "from the environment"} {
		r := httptest.NewRequest(http.MethodGet, "/punctual/", nil)
		if password != "" {
			r.SetBasicAuth("ops", password)
		}
		answer := httptest.NewRecorder()
		mux.ServeHTTP(answer, r)
		fmt.Println(answer.Code)
	}
	// Output:
	// 401
	// 401
	// 200
}

// A page behind oauth2-proxy: each who is logged in may look, and those of one group may act. The
// proxy sets these headers, and drops any that a browser sends; so nothing but the proxy may reach
// the address of the page: let it listen on 127.0.0.1 beside the proxy, or on a socket.
func ExampleHandler_oauth2Proxy() {
	jobs := executor.NewScheduledPool(4, executor.Name("jobs"))
	defer jobs.Close()
	mayAct := func(r *http.Request) bool {
		groups := strings.Split(r.Header.Get("X-Forwarded-Groups"), ",")
		return slices.Contains(groups, "on-call")
	}
	page := inspect.Handler(jobs).With(inspect.Actions(mayAct))

	mux := http.NewServeMux()
	mux.HandleFunc("/punctual/", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Forwarded-Email") == "" { // it did not come by the proxy
			http.Error(w, "log in", http.StatusUnauthorized)
			return
		}
		page.ServeHTTP(w, r)
	})

	for _, groups := range []string{"", "developers", "developers,on-call"} {
		r := httptest.NewRequest(http.MethodGet, "/punctual/pool/jobs/", nil)
		if groups != "" {
			r.Header.Set("X-Forwarded-Email", "ann@example.org")
			r.Header.Set("X-Forwarded-Groups", groups)
		}
		answer := httptest.NewRecorder()
		mux.ServeHTTP(answer, r)
		fmt.Println(answer.Code, strings.Contains(answer.Body.String(), "Pause the pool"))
	}
	// Output:
	// 401 false
	// 200 false
	// 200 true
}

// Two addresses: one for everybody, on which nothing can be done, and one behind a password.
func ExampleHandler_readOnly() {
	jobs := executor.NewScheduledPool(4, executor.Name("jobs"))
	defer jobs.Close()
	look := inspect.Handler(jobs)
	act := inspect.Handler(jobs).With(inspect.Actions(func(*http.Request) bool { return true }))

	mux := http.NewServeMux()
	mux.Handle("/status/", look)
	mux.Handle("/punctual/", basicAuth("ops", "from the environment", act))

	for _, path := range []string{"/status/pool/jobs/", "/punctual/pool/jobs/"} {
		answer := httptest.NewRecorder()
		mux.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, path, nil))
		fmt.Println(answer.Code, strings.Contains(answer.Body.String(), "Pause the pool"))
	}
	// Output:
	// 200 false
	// 401 false
}

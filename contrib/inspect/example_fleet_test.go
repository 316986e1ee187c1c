package inspect_test

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/punctual-go/punctual/contrib/inspect"
	"github.com/punctual-go/punctual/executor"
)

// bearer lets requests with the token through. Over plain HTTP everybody on the way reads it.
func bearer(token string, next http.Handler) http.Handler {
	want := sha256.Sum256([]byte("Bearer " + token))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got := sha256.Sum256([]byte(r.Header.Get("Authorization"))) // as long for any text
		if token == "" || subtle.ConstantTimeCompare(got[:], want[:]) != 1 {
			http.Error(w, "who is it?", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// All replicas of a deployment on one page, behind a headless service of Kubernetes:
//
//	apiVersion: v1
//	kind: Service
//	metadata:
//	  name: jobs
//	spec:
//	  clusterIP: None
//	  publishNotReadyAddresses: true
//	  selector:
//	    app: jobs
//	  ports:
//	    - port: 8080
//
// Any process can have the page, one of the replicas or another.
func ExampleFleetHandler() {
	jobs := executor.NewScheduledPool(4, executor.Name("jobs"))
	defer jobs.Close()
	token := "from a secret"

	// In each replica:
	mux := http.NewServeMux()
	mux.Handle("/punctual/", bearer(token, inspect.Handler(jobs).With(inspect.Version("v1.4.2"))))

	// In the process that has the page; protect it as you protect your other administration pages.
	fleet := inspect.FleetHandler(inspect.Service("http://jobs.default.svc:8080/punctual/")).With(
		inspect.BearerToken(token))
	defer fleet.Close()
	mux.Handle("/fleet/", basicAuth("ops", "from the environment", fleet))

	for _, path := range []string{"/punctual/", "/fleet/"} {
		answer := httptest.NewRecorder()
		mux.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, path, nil))
		fmt.Println(path, answer.Code)
	}
	// Output:
	// /punctual/ 401
	// /fleet/ 401
}

// Processes at addresses that are known.
func ExampleAddress() {
	jobs := executor.NewScheduledPool(4, executor.Name("jobs"))
	defer jobs.Close()
	replica := httptest.NewServer(bearer("from a secret", inspect.Handler(jobs)))
	defer replica.Close()

	fleet := inspect.FleetHandler(inspect.Address(replica.URL)).With(inspect.BearerToken("from a secret"))
	defer fleet.Close()

	answer := httptest.NewRecorder()
	fleet.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/", nil))
	fmt.Println(answer.Code, strings.Contains(answer.Body.String(), "process/"))
	// Output: 200 true
}

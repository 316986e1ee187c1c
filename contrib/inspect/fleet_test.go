package inspect_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/contrib/inspect"
	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/insight"
)

// network leads to handlers by host and port, and is a resolver. It counts what was asked.
type network struct {
	mu     sync.Mutex
	at     map[string]http.Handler
	names  map[string][]string
	asked  map[string]int
	failed error // of the resolver
}

func newNetwork() *network {
	return &network{at: map[string]http.Handler{}, names: map[string][]string{}, asked: map[string]int{}}
}

func (n *network) set(host string, h http.Handler) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.at[host] = h
}

func (n *network) lead(name string, ips ...string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.names[name] = ips
}

func (n *network) count(host string) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.asked[host]
}

func (n *network) LookupHost(_ context.Context, host string) ([]string, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.failed != nil {
		return nil, n.failed
	}
	return append([]string{}, n.names[host]...), nil
}

func (n *network) RoundTrip(r *http.Request) (*http.Response, error) {
	n.mu.Lock()
	h := n.at[r.URL.Host]
	n.asked[r.URL.Host]++
	n.mu.Unlock()
	if h == nil {
		return nil, errors.New("connection refused")
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	return w.Result(), nil
}

// fleet returns the page of a fleet on this network.
func (n *network) fleet(t testing.TB, members ...inspect.Member) *inspect.Fleet {
	f := inspect.FleetHandler(members...).With(inspect.Resolver(n),
		inspect.HTTPClient(&http.Client{Transport: n}))
	t.Cleanup(f.Close)
	return f
}

// replica is a process: a pool with a job, and its page.
type replica struct {
	pool *executor.ScheduledPool
	page http.Handler
	fail func(error) // has the job fail with an error, or succeed with nil
}

func newReplica(t testing.TB, version string) *replica {
	var mu sync.Mutex
	var err error
	r := &replica{pool: executor.NewScheduledPool(2, executor.Name("jobs"),
		executor.Watch(insight.Config{History: true}), executor.Logger(slog.New(slog.DiscardHandler)))}
	r.fail = func(with error) {
		mu.Lock()
		defer mu.Unlock()
		err = with
	}
	_, failure := r.pool.AtFixedRate(time.Second, time.Second, func(context.Context) error {
		mu.Lock()
		defer mu.Unlock()
		return err
	}, executor.Name("import"))
	require.NoError(t, failure)
	mux := http.NewServeMux()
	mux.Handle("/punctual/", inspect.Handler(r.pool).With(inspect.Version(version)))
	r.page = mux
	t.Cleanup(func() { _ = r.pool.Close() })
	return r
}

// index is what tests read of the first view.
type index struct {
	Shows string
	Wrong struct {
		Shown []struct {
			What      string
			Task      struct{ Name, Path string }
			Says      string
			Error     string
			Fresh     bool `json:"new_in_version"`
			Processes []process
		}
	}
	Processes, Gone []process
	Tasks           []task
}

type process struct {
	Name, Path, Address, State, Shows, Version, Trouble string

	Started, Answered, Since time.Time
}

type task struct {
	Pool, Task, Path, Shows string

	Fresh    bool `json:"new_in_version"`
	Versions []struct {
		Version, Shows, Error string

		Processes, Gone int
		Runs, Failures  uint64
		Since           time.Time
	}
}

// look returns the first view.
func look(t testing.TB, f http.Handler) (v index) {
	t.Helper()
	require.NoError(t, json.Unmarshal(get(t, f, "/?format=json").Body.Bytes(), &v))
	return v
}

func states(list []process) (text string) {
	for _, p := range list {
		text += fmt.Sprintf("%s %s %s; ", strings.TrimSuffix(strings.TrimPrefix(p.Address, "http://"),
			"/punctual/"), p.State, p.Version)
	}
	return text
}

var three = []inspect.Member{inspect.Address("http://a/punctual/"), inspect.Address("http://b/punctual/"),
	inspect.Address("http://c/punctual")}

func TestThreeProcessesOnOnePage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork()
		a, b, c := newReplica(t, "v1"), newReplica(t, "v1"), newReplica(t, "v2")
		n.set("a", a.page)
		n.set("b", b.page)
		n.set("c", c.page)
		a.fail(errors.New("disk full"))
		b.fail(errors.New("disk full"))
		time.Sleep(3500 * ms)
		v := look(t, n.fleet(t, three...))
		assert.Equal(t, "a up v1; b up v1; c up v2; ", states(v.Processes))
		require.Len(t, v.Wrong.Shown, 1, "the same trouble of two processes is one")
		is := v.Wrong.Shown[0]
		assert.Equal(t, insight.Failing, is.What)
		assert.Equal(t, "import", is.Task.Name)
		assert.Equal(t, "disk full", is.Error)
		assert.Equal(t, "a up v1; b up v1; ", states(is.Processes))
		assert.Equal(t, insight.Failing, v.Shows)
		require.Len(t, v.Tasks, 1)
		assert.Equal(t, is.Task.Path, v.Tasks[0].Path)
		require.Len(t, v.Tasks[0].Versions, 2)
		for _, version := range v.Tasks[0].Versions {
			switch version.Version {
			case "v1":
				assert.Equal(t, []any{2, uint64(6), uint64(6), "failing", "disk full"}, []any{version.Processes,
					version.Runs, version.Failures, version.Shows, version.Error})
			case "v2":
				assert.Equal(t, []any{1, uint64(3), uint64(0), "ok", ""}, []any{version.Processes,
					version.Runs, version.Failures, version.Shows, version.Error})
			}
		}
	})
}

// The deploy that breaks a job: the version beside the older one says so, also once that is gone.
func TestAVersionThatBreaksAJob(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork()
		old := newReplica(t, "v1")
		n.set("a", old.page)
		f := n.fleet(t, three[0])
		time.Sleep(2500 * ms)
		before := look(t, f)
		require.NoError(t, old.pool.Close())
		replaced := newReplica(t, "v2")
		replaced.fail(errors.New("no such column"))
		n.set("a", replaced.page)
		time.Sleep(2500 * ms)
		v := look(t, f)
		assert.Equal(t, "a up v2; ", states(v.Processes))
		assert.Equal(t, "a gone v1; ", states(v.Gone))
		assert.Equal(t, "another process has its address", v.Gone[0].Trouble)
		assert.Equal(t, before.Processes[0].Path, v.Gone[0].Path, "its view stays where it is")
		require.Len(t, v.Wrong.Shown, 1, "that a process has been replaced is no trouble")
		require.Len(t, v.Tasks, 1)
		is := v.Tasks[0]
		assert.True(t, is.Fresh)
		assert.True(t, v.Wrong.Shown[0].Fresh)
		require.Len(t, is.Versions, 2)
		assert.Equal(t, "v2", is.Versions[0].Version, "the newest first")
		assert.Equal(t, uint64(2), is.Versions[0].Failures)
		assert.Equal(t, "no such column", is.Versions[0].Error)
		assert.False(t, is.Versions[0].Since.IsZero())
		assert.Equal(t, "v1", is.Versions[1].Version)
		assert.Equal(t, 1, is.Versions[1].Gone)
		assert.Equal(t, uint64(2), is.Versions[1].Runs)
		page := get(t, f, "/").Body.String()
		assert.Contains(t, page, "only in this version")
		assert.Contains(t, page, "another process has its address")
	})
}

// A link in a chat or a ticket: it leads to the run after its process has gone.
func TestALinkToARunOutlivesItsProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork()
		old := newReplica(t, "v1")
		n.set("10.0.0.1:8080", old.page)
		n.lead("jobs.svc", "10.0.0.1")
		f := n.fleet(t, inspect.Service("http://jobs.svc:8080/punctual/"))
		old.fail(errors.New("disk full\nand more"))
		due := time.Now().Add(2 * time.Second)
		time.Sleep(2500 * ms)
		old.fail(nil)
		found := get(t, f, "/find?pool=jobs&task=import&due="+due.UTC().Format("2006-01-02T15:04:05Z"))
		require.Equal(t, http.StatusSeeOther, found.Code)
		run := strings.TrimPrefix(found.Header().Get("Location"), ".")
		require.Contains(t, get(t, f, run).Body.String(), "disk full")
		next := newReplica(t, "v2")
		n.set("10.0.0.1:8080", nil)
		n.set("10.0.0.2:8080", next.page)
		n.lead("jobs.svc", "10.0.0.2")
		time.Sleep(6 * time.Second)
		look(t, f) // the name is resolved
		assert.Equal(t, "10.0.0.1:8080 gone v1; ", states(look(t, f).Gone))
		time.Sleep(time.Hour)
		page := get(t, f, run)
		assert.Equal(t, http.StatusOK, page.Code)
		assert.Contains(t, page.Body.String(), "disk full")
		assert.Contains(t, page.Body.String(), `<span class="badge">gone</span>`)
		gone := get(t, f, "/"+look(t, f).Gone[0].Path).Body.String()
		assert.Contains(t, gone, "jobs.svc does not lead there any more, since")
		assert.Contains(t, gone, "failing", "what was wrong there")
		assert.NotContains(t, gone, "s-silent")
		for _, path := range []string{strings.Split(run, "run/")[0], "/" + look(t, f).Gone[0].Path} {
			assert.Contains(t, get(t, f, path).Body.String(), "disk full", path)
		}
		assert.Equal(t, http.StatusNotFound, get(t, f, strings.Split(run, "run/")[0]+"run/2020-01-01T00:00:00Z").Code)
	})
}

func TestNothingIsAskedWhileNobodyLooks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork()
		n.set("a", newReplica(t, "v1").page)
		f := n.fleet(t, three[0])
		time.Sleep(time.Minute)
		assert.Zero(t, n.count("a"))
		for range 100 {
			get(t, f, "/")
			get(t, f, "/tasks")
		}
		assert.Equal(t, 1, n.count("a"))
		time.Sleep(2 * time.Second)
		get(t, f, "/")
		assert.Equal(t, 2, n.count("a"))
		get(t, f, "/asset/style.css")
		time.Sleep(time.Hour)
		assert.Equal(t, 2, n.count("a"))
	})
}

// hanging answers when nobody waits any more.
func hanging(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

func jsonOf(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(text))
	}
}

// endless answers without an end.
func endless(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	for piece := []byte(strings.Repeat(" ", 1<<16)); r.Context().Err() == nil; {
		if _, err := w.Write(piece); err != nil {
			return
		}
	}
}

func TestAMemberThatIsNoneHarmsNoOther(t *testing.T) {
	elsewhere := http.RedirectHandler("http://evil/punctual/", http.StatusFound)
	for _, is := range []struct {
		name    string
		h       http.Handler
		trouble string
	}{
		{"panics in the client", http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("no") }), "it panics: no"},
		{"ends the goroutine", http.HandlerFunc(func(http.ResponseWriter, *http.Request) { runtime.Goexit() }),
			"it ends the goroutine that asks it"},
		{"hangs", http.HandlerFunc(hanging), "no answer within 2 s"},
		{"refuses connections", nil, "connection refused"},
		{"is another kind of page", jsonOf(`{"status":"ok"}`), "it answers with JSON, but not with that of a page"},
		{"answers null", jsonOf(`null`), "it answers with JSON, but not with that of a page"},
		{"answers garbage", jsonOf(`{"at":"2026-`), "it answers with no JSON"},
		{"answers deep garbage", jsonOf(strings.Repeat(`{"tasks":[`, 1<<15)), "it answers with no JSON"},
		{"answers HTML", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte("<html>"))
		}), "it answers with no JSON"},
		{"redirects", elsewhere, "it answers with 302, and redirects are not followed"},
		{"refuses", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusUnauthorized)
		}), "it answers with 401: it does not accept the token"},
		{"fails", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusBadGateway)
		}), "it answers with 502"},
		{"is too long", jsonOf(strings.Repeat(" ", 9<<20)), "its answer is longer than 8 MB"},
	} {
		t.Run(is.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := newNetwork()
				n.set("a", newReplica(t, "v1").page)
				n.set("b", is.h)
				n.set("evil", newReplica(t, "evil").page)
				f := n.fleet(t, three[:2]...)
				began := time.Now()
				v := look(t, f)
				assert.LessOrEqual(t, time.Since(began), time.Second, "a viewer is patient, but not for ever")
				assert.Equal(t, "a up v1", strings.Split(states(v.Processes), ";")[0])
				time.Sleep(3 * time.Second)
				began = time.Now()
				v = look(t, f)
				assert.Zero(t, time.Since(began), "who has not answered is not waited for")
				assert.Equal(t, "a up v1; b silent ; ", states(v.Processes))
				assert.Equal(t, is.trouble, v.Processes[1].Trouble)
				require.NotEmpty(t, v.Wrong.Shown)
				assert.Equal(t, "silent", v.Wrong.Shown[0].What)
				assert.Contains(t, get(t, f, "/").Body.String(), is.trouble)
				assert.Zero(t, n.count("evil"))
				time.Sleep(time.Minute)
				assert.Equal(t, "a up v1; b silent ; ", states(look(t, f).Processes), "it has never been up")
			})
		})
	}
}

func TestAnswersWithoutAnEnd(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(endless))
	defer server.Close()
	f := inspect.FleetHandler(inspect.Address(server.URL))
	defer f.Close()
	for look(t, f).Processes[0].State == "asked" {
	}
	assert.Equal(t, "its answer is longer than 8 MB", look(t, f).Processes[0].Trouble)
}

func TestAManyMembersThatHangDelayNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork()
		ips := []string{"10.0.1.1"}
		for i := range 300 {
			ip := fmt.Sprintf("10.0.2.%d", i)
			if i > 255 {
				ip = fmt.Sprintf("10.0.3.%d", i-256)
			}
			n.set(ip+":80", http.HandlerFunc(hanging))
			ips = append(ips, ip)
		}
		n.lead("jobs.svc", ips...)
		n.set("10.0.1.1:80", newReplica(t, "v1").page)
		f := n.fleet(t, inspect.Service("http://jobs.svc:80/punctual/"))
		v := look(t, f)
		assert.Len(t, v.Processes, 256)
		assert.Contains(t, get(t, f, "/").Body.String(), "45 of the addresses of jobs.svc are not asked: 256 at most are")
		time.Sleep(time.Minute) // all have been asked once
		for range 20 {
			time.Sleep(2 * time.Second)
			began := time.Now()
			is := look(t, f).Processes[0]
			assert.Equal(t, "v1", is.Version)
			assert.WithinDuration(t, began, is.Answered, 0)
		}
	})
}

func TestAProcessThatIsSilentIsGoneInTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork()
		a := newReplica(t, "v1")
		n.set("a", a.page)
		f := n.fleet(t, three[0])
		time.Sleep(1500 * ms)
		up := look(t, f).Processes[0]
		n.set("a", nil)
		time.Sleep(2 * time.Second)
		v := look(t, f)
		assert.Equal(t, "a silent v1; ", states(v.Processes))
		assert.Equal(t, up.Answered, v.Processes[0].Answered)
		assert.Equal(t, uint64(1), v.Tasks[0].Versions[0].Runs, "what it had last")
		time.Sleep(14 * time.Second)
		look(t, f)
		synctest.Wait() // who is silent is not waited for
		v = look(t, f)
		assert.Equal(t, "", states(v.Processes))
		assert.Equal(t, "a gone v1; ", states(v.Gone))
		assert.Equal(t, "connection refused", v.Gone[0].Trouble)
		assert.NotEmpty(t, v.Wrong.Shown, "it should be there")
		n.set("a", http.NotFoundHandler())
		time.Sleep(time.Minute)
		look(t, f)
		synctest.Wait()
		assert.Equal(t, "a silent v1; ", states(look(t, f).Processes), "something is there")
		n.set("a", a.page)
		time.Sleep(2 * time.Second)
		look(t, f)
		synctest.Wait()
		v = look(t, f)
		assert.Equal(t, "a up v1; ", states(v.Processes), "the same process")
		assert.Empty(t, v.Gone)
		assert.Equal(t, up.Path, v.Processes[0].Path)
	})
}

func TestANameThatCantBeResolved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork()
		n.set("10.0.0.1:80", newReplica(t, "v1").page)
		n.set("[fd00::1]:80", newReplica(t, "v2").page)
		n.lead("jobs.svc", "fd00::1", "10.0.0.1", "evil.example", "10.0.0.1")
		f := n.fleet(t, inspect.Service("http://jobs.svc:80/punctual/"))
		assert.Equal(t, "10.0.0.1:80 up v1; [fd00::1]:80 up v2; ", states(look(t, f).Processes))
		n.mu.Lock()
		n.failed = errors.New("no such host")
		n.mu.Unlock()
		time.Sleep(5 * time.Second)
		look(t, f)
		v := look(t, f)
		assert.Len(t, v.Processes, 2, "those that were known are still asked")
		assert.Contains(t, get(t, f, "/").Body.String(), "jobs.svc can’t be resolved: no such host")
		assert.Zero(t, n.count("evil.example:80"), "a resolver tells addresses")
	})
}

func TestWhatAMemberIsSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork()
		page := newReplica(t, "v1").page
		n.lead("jobs.svc", "10.0.0.1")
		n.set("10.0.0.1:8080", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			assert.Equal(t, http.MethodGet, r.Method)
			assert.Equal(t, "jobs.svc:8080", r.Host)
			assert.Equal(t, "/punctual/", r.URL.Path)
			assert.Equal(t, "Bearer secret", r.Header.Get("Authorization"))
			page.ServeHTTP(w, r)
		}))
		f := n.fleet(t, inspect.Service("http://jobs.svc:8080/punctual")).With(inspect.BearerToken("secret"))
		v := look(t, f)
		assert.Equal(t, "10.0.0.1:8080 up v1; ", states(v.Processes))
		assert.NotContains(t, get(t, f, "/").Body.String()+get(t, f, "/"+v.Processes[0].Path).Body.String(), "secret")
	})
}

func TestAFleetOnlyLooks(t *testing.T) {
	n := newNetwork()
	n.set("a", newReplica(t, "v1").page)
	f := n.fleet(t, three[0])
	w := httptest.NewRecorder()
	f.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/", nil))
	assert.Equal(t, http.StatusMethodNotAllowed, w.Code)
	for _, path := range []string{"/health", "/ready", "/process/x/", "/task/a/b/", "/pool/jobs/", "/nothing"} {
		assert.Equal(t, http.StatusNotFound, get(t, f, path).Code, path)
	}
	page := get(t, f, "/")
	assert.Contains(t, page.Header().Get("Content-Security-Policy"), "default-src 'none'")
	assert.Equal(t, http.StatusOK, get(t, f, "/tasks?q=IMP").Code)
	assert.Contains(t, get(t, f, "/tasks?q=nothing").Body.String(), "No task is like that")
}

func TestAddressesThatAreNone(t *testing.T) {
	for _, bad := range []string{"", "a:8080", "/punctual/", "ftp://a/", "http://", "http://u:p@a/", "http://a/?x=1",
		"http://a/#x", "javascript:alert(1)", "http:a", "http://a\n/"} {
		assert.Panics(t, func() { inspect.Address(bad) }, bad)
		assert.Panics(t, func() { inspect.Service(bad) }, bad)
	}
	assert.Panics(t, func() { inspect.HTTPClient(nil) })
	assert.Panics(t, func() { inspect.Resolver(nil) })
}

// A member may say anything: it is shown as text, leads nowhere, and is cut.
func TestAHostileMember(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		evil := strings.Join(hostile, "") + strings.Repeat("long ", 1<<16)
		text, err := json.Marshal(evil)
		require.NoError(t, err)
		link := `{"name":` + string(text) + `,"path":"//evil/"}`
		trouble := `{"what":` + string(text) + `,"pool":` + link + `,"task":` + link + `,"reason":` + string(text) +
			`,"error":` + string(text) + `,"took":"x","since":"2026-01-01T00:00:00Z","count":18446744073709551615}`
		run := `{"number":1,"due":"2026-01-01T00:00:00Z","started":"2026-01-01T00:00:00Z","took":"1s","error":` + string(text) + `}`
		n := newNetwork()
		n.set("a", jsonOf(`{"at":"2026-01-01T00:00:00Z","shows":"unseen","more_tasks":-9,
			"process":{"instance":"unseen skip","version":`+string(text[:1<<10])+`","host":["a"],"pid":"x"},
			"wrong":{"shown":[`+trouble+`],"more":-7},"new":{"a":[1]},
			"sources":[{"name":"x","path":"javascript:alert(1)","kind":`+string(text)+`}],
			"tasks":[{"pool":`+link+`,"task":`+link+`,"trouble":`+trouble+`,"last_runs":[`+run+`,`+run+`,4]}]}`))
		n.set("evil", newReplica(t, "evil").page)
		f := n.fleet(t, three[0])
		v := look(t, f)
		require.Equal(t, "up", v.Processes[0].State, v.Processes[0].Trouble)
		require.Len(t, v.Tasks, 1)
		for _, path := range []string{"/", "/tasks", "/" + v.Processes[0].Path, "/" + v.Tasks[0].Path,
			"/" + v.Tasks[0].Path + "run/2026-01-01T00:00:00Z"} {
			w := get(t, f, path)
			require.Equal(t, http.StatusOK, w.Code, path)
			body := w.Body.String()
			assert.Less(t, len(body), 100_000, path)
			for _, bad := range []string{"<script>alert", "<img", "\u202e", "\x00", "//evil/", `href="javascript`, `class="unseen skip`,
				"s-unseen"} {
				assert.NotContains(t, body, bad, path)
			}
			assert.Less(t, get(t, f, path+"?format=json").Body.Len(), 100_000, path)
		}
		time.Sleep(10 * time.Second)
		look(t, f)
		assert.Zero(t, n.count("evil"))
	})
}

// An answer of 8 MB is not a gigabyte in memory.
func TestWhatAMemberTellsIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork()
		n.set("a", jsonOf(`{"at":"2026-01-01T00:00:00Z","tasks":[{"task":{"name":"x"},"last_runs":[`+
			strings.Repeat(`{},`, 1<<20)+`{}]}`+strings.Repeat(`,{"task":{"name":"x"}}`, 1<<15)+`]}`))
		f := n.fleet(t, three[0])
		v := look(t, f)
		require.Equal(t, "up", v.Processes[0].State, v.Processes[0].Trouble)
		var told struct{ Tasks []any }
		require.NoError(t, json.Unmarshal(get(t, f, "/"+v.Processes[0].Path+"?format=json").Body.Bytes(), &told))
		assert.Len(t, told.Tasks, 500)
	})
}

// panicky is a resolver that is a mistake.
type panicky struct{ end func() }

func (p panicky) LookupHost(context.Context, string) ([]string, error) { p.end(); return nil, nil }

func TestAResolverThatPanicsHarmsNobody(t *testing.T) {
	for _, end := range []func(){func() { panic("no zone") }, runtime.Goexit} {
		synctest.Test(t, func(t *testing.T) {
			n := newNetwork()
			n.set("a", newReplica(t, "v1").page)
			f := n.fleet(t, three[0], inspect.Service("http://jobs.svc/")).With(inspect.Resolver(panicky{end}))
			for range 3 {
				assert.Equal(t, "a up v1; ", states(look(t, f).Processes))
				assert.Contains(t, get(t, f, "/").Body.String(), "jobs.svc can’t be resolved: it")
				time.Sleep(10 * time.Second)
			}
		})
	}
}

// Replicas of one host, as in tests and on virtual machines, can be told apart.
func TestProcessesOfOneHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork()
		n.set("a", newReplica(t, "v1").page)
		n.set("b", newReplica(t, "v1").page)
		v := look(t, n.fleet(t, three[:2]...))
		assert.True(t, strings.HasSuffix(v.Processes[0].Name, " at a"), v.Processes[0].Name)
		assert.True(t, strings.HasSuffix(v.Processes[1].Name, " at b"), v.Processes[1].Name)
		assert.NotContains(t, look(t, n.fleet(t, three[0])).Processes[0].Name, " at a")
	})
}

// A process that is restarted again and again does not push out what others had.
func TestWhatIsKeptOfThoseThatAreGoneIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork()
		n.set("a", newReplica(t, "v1").page)
		n.set("b", newReplica(t, "old").page)
		f := n.fleet(t, three[:2]...)
		look(t, f)
		n.set("b", newReplica(t, "new").page)
		for i := range 20 {
			time.Sleep(2 * time.Second)
			n.set("a", newReplica(t, fmt.Sprintf("v%d", i+2)).page)
			look(t, f)
		}
		v := look(t, f)
		assert.Len(t, v.Gone, 9)
		assert.Equal(t, "v20", v.Gone[0].Version, "the last one first")
		assert.Equal(t, "old", v.Gone[8].Version)
	})
}

// What a run was told once is kept as long as its process is known.
func TestRunsThatAProcessTellsNoMoreAreKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork()
		n.set("a", newReplica(t, "v1").page)
		f := n.fleet(t, three[0])
		time.Sleep(1500 * ms)
		v := look(t, f)
		var told struct {
			Runs []struct {
				Number uint64
				Path   string
			} `json:"last_runs"`
		}
		runs := func() {
			require.NoError(t, json.Unmarshal(get(t, f, "/"+v.Tasks[0].Path+"?format=json").Body.Bytes(), &told))
		}
		runs()
		require.Len(t, told.Runs, 1)
		first := told.Runs[0].Path
		for range 10 {
			time.Sleep(2 * time.Second)
			look(t, f)
		}
		runs()
		assert.Len(t, told.Runs, 21)
		assert.Equal(t, uint64(21), told.Runs[0].Number)
		assert.Equal(t, http.StatusOK, get(t, f, "/"+first).Code)
		for range 30 {
			time.Sleep(2 * time.Second)
			look(t, f)
		}
		runs()
		assert.Len(t, told.Runs, 32)
	})
}

// The addresses of a service are asked as such, so its name has to be that of the certificates.
func TestAServiceWithTLS(t *testing.T) {
	server := httptest.NewTLSServer(newReplica(t, "v1").page)
	defer server.Close()
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	require.NoError(t, err)
	n := newNetwork()
	n.lead("jobs.svc", "127.0.0.1")
	transport := server.Client().Transport.(*http.Transport).Clone()
	for name, state := range map[string]string{"example.com": "up", "jobs.svc": "silent"} {
		transport.TLSClientConfig.ServerName = name
		f := inspect.FleetHandler(inspect.Service("https://jobs.svc:"+port+"/punctual/")).With(inspect.Resolver(n),
			inspect.HTTPClient(&http.Client{Transport: transport.Clone()}))
		var v index
		for v = look(t, f); len(v.Processes) == 0 || v.Processes[0].State == "asked"; v = look(t, f) {
		}
		assert.Equal(t, state, v.Processes[0].State, v.Processes[0].Trouble)
		f.Close()
	}
}

// The stream of a fleet is that of a page: it tells what changes, and ends with it.
func TestAStreamOfAFleet(t *testing.T) {
	r := newReplica(t, "v1")
	member := httptest.NewServer(r.page)
	defer member.Close()
	f := inspect.FleetHandler(inspect.Address(member.URL + "/punctual/"))
	server := mounted(t, f)
	_, lines := stream(t, server.URL+"/punctual/")
	for !strings.Contains(next(lines), "v1") {
	}
	r.fail(errors.New("disk full"))
	for !strings.Contains(next(lines), "disk full") {
	}
	f.Close()
	for next(lines) != "" {
	}
}

// What several processes have in common is told in words that fit each kind of trouble.
func TestWordsForSeveralProcesses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork()
		for _, host := range []string{"a", "b"} {
			r := newReplica(t, "v1")
			_, err := r.pool.Every(time.Second, func(context.Context) error { panic("bad") }, executor.Name("parse"))
			require.NoError(t, err)
			_, err = r.pool.Every(time.Second, sleep(0), executor.Name("reconcile"))
			require.NoError(t, err)
			r.fail(errors.New("disk full"))
			n.set(host, r.page)
			if host == "b" {
				time.Sleep(ms)
				require.True(t, lookup(t, r.pool, "reconcile").Pause())
			}
		}
		f := n.fleet(t, three[0], three[1])
		time.Sleep(3500 * ms)
		look(t, f)
		time.Sleep(2500 * ms)
		page := get(t, f, "/").Body.String()
		assert.Contains(t, page, "\nended by a failure at ")
		assert.Contains(t, page, `<span class="badge s-paused">paused</span>`, "in one of them")
		assert.Regexp(t, `\nup to \d runs in a row failed, since `, page)
	})
}

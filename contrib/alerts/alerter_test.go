package alerts_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/contrib/alerts"
	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/insight"
	"github.com/punctual-go/punctual/executor/retry"
)

// web is the other side: what was posted, and what it answers.
type web struct {
	mu     sync.Mutex
	begun  time.Time
	posts  []string // when, to where, and what
	alerts []alerts.Alert
	tries  int
	answer func(try int, req *http.Request) (*http.Response, error) // nil means 200
}

func (w *web) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	w.tries++
	try := w.tries
	w.mu.Unlock()
	if w.answer != nil {
		if resp, err := w.answer(try, req); resp != nil || err != nil {
			return resp, err
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if a := (alerts.Alert{}); json.Unmarshal(body, &a) == nil {
		w.alerts = append(w.alerts, a)
		body = []byte(a.State)
	}
	w.posts = append(w.posts, strings.TrimSpace(time.Since(w.begun).String()+" "+req.URL.Path+" "+string(body)))
	return reply(200), nil
}

func (w *web) all() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.posts
}

func (w *web) told() []alerts.Alert {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.alerts
}

func (w *web) tried() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.tries
}

func reply(code int) *http.Response {
	return &http.Response{StatusCode: code, Body: io.NopCloser(strings.NewReader("fine"))}
}

const (
	hook = "https://chat.example/hook/secret"
	ping = "https://ping.example/uuid"
)

// logs keeps what is logged.
type logs struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *logs) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logs) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// job is a task that fails while it is told to.
type job struct {
	mu  sync.Mutex
	err error
}

func (j *job) set(err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.err = err
}

func (j *job) body(context.Context) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.err
}

var errBoom = errors.New("boom")

// trial runs a test in a bubble, with a job each 20 seconds, looked at between its runs.
func trial(
	t *testing.T, c alerts.Config, w *web,
	test func(t *testing.T, a *alerts.Alerter, j *job, logged *logs),
) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w.begun = time.Now()
		logged := new(logs)
		c.Transport, c.Logger = w, slog.New(slog.NewTextHandler(logged, nil))
		a, err := alerts.New(c)
		require.NoError(t, err)
		time.Sleep(5 * time.Second)
		p := executor.NewScheduledPool(2, executor.Name("jobs"), executor.Logger(slog.New(slog.DiscardHandler)),
			executor.Watch(insight.Config{History: true}), executor.Observe(a.Observer()))
		defer p.Close()
		require.NoError(t, a.Watch(p))
		j := new(job)
		_, err = p.Every(20*time.Second, j.body, executor.Name("backup"),
			executor.Retry(2, retry.Backoff{Base: time.Second, Spread: retry.NoSpread}))
		require.NoError(t, err)
		test(t, a, j, logged)
		require.NoError(t, a.Close(t.Context()))
	})
}

// A task that fails, and goes on failing, is told once; that it is well again, once.
func TestOncePerChange(t *testing.T) {
	w := new(web)
	trial(t, alerts.Config{Webhook: hook}, w, func(t *testing.T, a *alerts.Alerter, j *job, _ *logs) {
		j.set(errBoom)
		time.Sleep(5 * time.Minute)
		j.set(nil)
		time.Sleep(5 * time.Minute)
		assert.Equal(t, []string{"30s /hook/secret failing", "5m10s /hook/secret ok"}, w.all())
		assert.Equal(t, alerts.Stats{Sent: 2}, a.Stats())
		first := w.told()[0]
		assert.Equal(t, `task "backup" of pool "jobs" is failing since 2000-01-01T00:00:26Z: boom`, first.Text)
		assert.Equal(t, []string{"jobs", "backup", "ok", "boom"},
			[]string{first.Pool, first.Task, first.Was, first.Reason})
		assert.Equal(t, `task "backup" of pool "jobs" is ok again, it was failing`, w.told()[1].Text)
	})
}

// Within the interval nothing more is told of a task; at its end, what it is then.
func TestATaskThatFlaps(t *testing.T) {
	w := new(web)
	trial(t, alerts.Config{Webhook: hook, Interval: 10 * time.Minute}, w,
		func(t *testing.T, _ *alerts.Alerter, j *job, _ *logs) {
			for range 11 { // it ends as it began: failing, from 20 minutes on
				j.set(errBoom)
				time.Sleep(time.Minute)
				j.set(nil)
				time.Sleep(time.Minute)
			}
			j.set(errBoom)
			time.Sleep(20 * time.Minute)
			posts := w.all()
			assert.Equal(t, "30s /hook/secret failing", posts[0])
			assert.Regexp(t, "failing$", posts[len(posts)-1])
			assert.LessOrEqual(t, len(posts), 5)
			for i := range posts[1:] {
				assert.NotEqual(t, w.told()[i].State, w.told()[i+1].State)
				assert.Equal(t, w.told()[i].State, w.told()[i+1].Was)
				assert.GreaterOrEqual(t, w.told()[i+1].At.Sub(w.told()[i].At), 10*time.Minute)
			}
			j.set(nil)
			time.Sleep(time.Hour)
			assert.Regexp(t, "ok$", w.all()[len(w.all())-1])
		})
}

// A task that a failure has ended is dead; one that is not in time, late; and a pool may be without
// a worker.
func TestOtherStates(t *testing.T) {
	for _, history := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			w := &web{begun: time.Now()}
			a, err := alerts.New(alerts.Config{Webhook: hook, Transport: w})
			require.NoError(t, err)
			p := executor.NewScheduledPool(1, executor.Logger(slog.New(slog.DiscardHandler)),
				executor.Watch(insight.Config{History: history}))
			defer p.Close()
			require.NoError(t, a.Watch(p))
			_, err = p.Every(time.Second, func(context.Context) error { panic("oh") }, executor.Name("dies"))
			require.NoError(t, err)
			_, err = p.Every(time.Second, func(context.Context) error { return executor.ErrSkipped },
				executor.Name("skips"), executor.Expect(insight.SuccessWithin(15*time.Second)))
			require.NoError(t, err)
			time.Sleep(50 * time.Second)
			require.NoError(t, p.Execute(func(context.Context) error { time.Sleep(5 * time.Minute); return nil }))
			time.Sleep(10 * time.Minute)
			seen := map[string]bool{}
			for _, alert := range w.told() {
				seen[alert.Task+" "+alert.State] = true
			}
			for _, state := range []string{"dies dead", "skips late", " starved", " ok"} {
				assert.True(t, seen[state], "%s: %v", state, w.all())
			}
			require.NoError(t, a.Close(t.Context()))
		})
	}
}

// A heartbeat is a ping after each run that succeeds, and a failure once; attempts are no failures.
func TestHeartbeats(t *testing.T) {
	w := new(web)
	trial(t, alerts.Config{Heartbeats: map[string]string{"backup": ping}, Starts: true}, w,
		func(t *testing.T, _ *alerts.Alerter, j *job, _ *logs) {
			time.Sleep(21 * time.Second)
			j.set(errBoom)
			time.Sleep(36 * time.Second)
			j.set(nil)
			time.Sleep(20 * time.Second)
			synctest.Wait()
			assert.Equal(t, []string{
				"25s /uuid/start", "25s /uuid",
				"45s /uuid/start", "46s /uuid/start", "50s /uuid/fail boom",
				"1m5s /uuid/start", "1m5s /uuid",
			}, w.all())
		})
}

// What a server refuses for a moment is tried again, and what comes meanwhile is sent after it.
func TestDeliveryIsTriedAgainInOrder(t *testing.T) {
	w := &web{answer: func(try int, _ *http.Request) (*http.Response, error) {
		switch try {
		case 1:
			return nil, errors.New("connection refused")
		case 2:
			resp := reply(503)
			resp.Header = http.Header{"Retry-After": {"30"}}
			return resp, nil
		}
		return nil, nil
	}}
	trial(t, alerts.Config{Heartbeats: map[string]string{"backup": ping}, Starts: true}, w,
		func(t *testing.T, a *alerts.Alerter, _ *job, logged *logs) {
			time.Sleep(2 * time.Minute)
			posts := w.all()
			assert.Regexp(t, "^5[0-9].* /uuid/start$", posts[0], "half a second to one, and 30 s")
			assert.Regexp(t, " /uuid$", posts[1])
			assert.Zero(t, a.Stats().Dropped)
			assert.Empty(t, logged.String())
		})
}

// What cannot be delivered is counted and logged, without the secret, and an alert is tried anew.
func TestAServerThatIsDown(t *testing.T) {
	down := true
	var mu sync.Mutex
	w := &web{answer: func(int, *http.Request) (*http.Response, error) {
		mu.Lock()
		defer mu.Unlock()
		if down {
			return reply(500), nil
		}
		return nil, nil
	}}
	trial(t, alerts.Config{Webhook: hook, Attempts: 3}, w, func(t *testing.T, a *alerts.Alerter, j *job, logged *logs) {
		j.set(errBoom)
		time.Sleep(100 * time.Second)
		s := a.Stats()
		assert.Equal(t, alerts.Stats{Dropped: 2}, s)
		assert.Equal(t, 6, w.tried())
		mu.Lock()
		down = false
		mu.Unlock()
		time.Sleep(2 * time.Minute)
		assert.Len(t, w.all(), 1)
		assert.Contains(t, logged.String(), "answer 500")
		assert.NotContains(t, logged.String(), "secret")
	})
}

// An answer that will not become another is not asked for again; nor is a redirect followed.
func TestAnswersThatAreFinal(t *testing.T) {
	for _, code := range []int{302, 400, 404, 410} {
		w := &web{answer: func(int, *http.Request) (*http.Response, error) {
			resp := reply(code)
			resp.Header = http.Header{"Location": {"http://elsewhere.example/"}}
			return resp, nil
		}}
		trial(t, alerts.Config{Heartbeats: map[string]string{"backup": ping}}, w,
			func(t *testing.T, a *alerts.Alerter, _ *job, logged *logs) {
				time.Sleep(21 * time.Second)
				assert.Equal(t, 1, w.tried())
				assert.Equal(t, alerts.Stats{Dropped: 1}, a.Stats())
				assert.NotContains(t, logged.String(), "uuid")
			})
	}
}

// A server that does not answer holds up no run, and no other line. Close cuts it off.
func TestAServerThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &web{begun: time.Now(), answer: func(_ int, req *http.Request) (*http.Response, error) {
			if req.URL.Host == "ping.example" {
				<-req.Context().Done()
				return nil, req.Context().Err()
			}
			return nil, nil
		}}
		logged := new(logs)
		a, err := alerts.New(alerts.Config{Heartbeats: map[string]string{"a": ping, "b": hook},
			Transport: w, Pending: 3, Starts: true, Logger: slog.New(slog.NewTextHandler(logged, nil))})
		require.NoError(t, err)
		p := executor.NewScheduledPool(1, executor.Observe(a.Observer()))
		for _, name := range []string{"a", "b"} {
			s, err := p.Every(time.Second, func(context.Context) error { return nil }, executor.Name(name))
			require.NoError(t, err)
			defer func() { assert.EqualValues(t, 60, s.Runs()) }()
		}
		time.Sleep(60*time.Second + 500*time.Millisecond)
		require.NoError(t, p.Close())
		assert.Len(t, w.all(), 120)
		assert.LessOrEqual(t, a.Stats().Pending, 3)
		assert.Positive(t, a.Stats().Dropped, "there is no room for a start and an end of each run")
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		begun := time.Now()
		err = a.Close(ctx)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorContains(t, err, "messages cut off")
		assert.Equal(t, time.Second, time.Since(begun))
		synctest.Wait()
		assert.Zero(t, a.Stats().Pending)
		assert.Contains(t, logged.String(), "as many messages wait as may")
		assert.NotContains(t, logged.String(), "uuid")
		require.NoError(t, a.Close(t.Context()), "there is nothing left")
	})
}

// Close looks once more, and delivers what an interval has held back.
func TestCloseDeliversWhatIsPending(t *testing.T) {
	w := new(web)
	trial(t, alerts.Config{Webhook: hook, Interval: time.Hour}, w,
		func(t *testing.T, a *alerts.Alerter, j *job, _ *logs) {
			j.set(errBoom)
			time.Sleep(time.Minute)
			j.set(nil)
			time.Sleep(time.Minute)
			assert.Len(t, w.all(), 1)
			require.NoError(t, a.Close(t.Context()))
			assert.Equal(t, []string{"30s /hook/secret failing", "2m5s /hook/secret ok"}, w.all())
		})
}

func TestRedact(t *testing.T) {
	for name, redact := range map[string]func(string) string{
		"hides":  func(text string) string { return strings.ReplaceAll(text, "tok3n", "…") },
		"panics": func(string) string { panic("oh") },
	} {
		w := new(web)
		trial(t, alerts.Config{Webhook: hook, Redact: redact, Heartbeats: map[string]string{"backup": ping}}, w,
			func(t *testing.T, _ *alerts.Alerter, j *job, _ *logs) {
				j.set(errors.New("tok3n is wrong " + strings.Repeat("ü", 5000)))
				time.Sleep(time.Minute)
				require.Len(t, w.all(), 2)
				all := strings.Join(w.all(), "") + w.told()[0].Text + w.told()[0].Reason
				assert.NotContains(t, all, "tok3n")
				assert.Less(t, len(all), 4000)
				if name == "panics" {
					assert.Contains(t, all, "not shown")
				}
			})
	}
}

func TestBadConfigurations(t *testing.T) {
	for text, c := range map[string]alerts.Config{
		"alerts: neither a webhook nor a heartbeat":   {},
		"alerts: negative Interval":                   {Webhook: hook, Interval: -1},
		"alerts: negative Pending":                    {Webhook: hook, Pending: -1},
		`alerts: Webhook: scheme "http" is not https`: {Webhook: "http://chat.example/secret"},
		`alerts: Webhook: scheme "ftp" is not https`:  {Webhook: "ftp://chat.example/secret", AllowHTTP: true},
		`alerts: heartbeat of "a": not a URL`:         {Heartbeats: map[string]string{"a": "secret"}},
		`alerts: Webhook: not a URL`:                  {Webhook: "https://%zz"},
	} {
		a, err := alerts.New(c)
		require.EqualError(t, err, text)
		assert.Nil(t, a)
	}
	a, err := alerts.New(alerts.Config{Webhook: "http://127.0.0.1:1/", AllowHTTP: true})
	require.NoError(t, err)
	require.EqualError(t, a.Watch(nil), "alerts: nil source")
	defer func() { require.EqualError(t, a.Watch(executor.NewPool(1)), "alerts: closed") }()
	require.NoError(t, a.Close(nil)) //nolint:staticcheck // what it says of nil
}

// A source that panics is logged, and harms no other.
func TestASourceThatPanics(t *testing.T) {
	w := new(web)
	trial(t, alerts.Config{Webhook: hook}, w, func(t *testing.T, a *alerts.Alerter, j *job, logged *logs) {
		require.NoError(t, a.Watch((*executor.ScheduledPool)(nil)))
		j.set(errBoom)
		time.Sleep(time.Minute)
		assert.Len(t, w.all(), 1)
		assert.Contains(t, logged.String(), "a source has panicked")
	})
}

// A pool that goes on after Close is not held up, and what it would have told is counted, and not
// logged each time.
func TestAPoolThatGoesOnAfterClose(t *testing.T) {
	w := new(web)
	trial(t, alerts.Config{Heartbeats: map[string]string{"backup": ping}}, w,
		func(t *testing.T, a *alerts.Alerter, _ *job, logged *logs) {
			time.Sleep(21 * time.Second)
			require.NoError(t, a.Close(t.Context()))
			time.Sleep(10 * 20 * time.Second)
			assert.Equal(t, alerts.Stats{Sent: 1, Dropped: 10}, a.Stats())
			assert.Equal(t, 4, strings.Count(logged.String(), "alerts: closed"))
		})
}

// source is a pool whose task succeeds while the alerter looks at it: what it has seen is over.
type source struct {
	insight.View
	succeeds func()
}

func (s *source) String() string         { return "" }
func (s *source) Insight() insight.View  { return s }
func (s *source) Health() insight.Health { return insight.Health{State: "running"} }
func (s *source) History() insight.History {
	time.Sleep(time.Millisecond)
	if s.succeeds != nil {
		s.succeeds()
	}
	return insight.History{Kept: true, Troubles: []insight.Trouble{{What: insight.Failing, Name: "backup"}}}
}

func TestASuccessWhileTheAlerterLooks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &web{begun: time.Now()}
		a, err := alerts.New(alerts.Config{Heartbeats: map[string]string{"backup": ping}, Transport: w})
		require.NoError(t, err)
		s := new(source)
		s.succeeds = func() {
			s.succeeds = nil
			a.Observer().Ended(t.Context(), executor.Run{Name: "backup"}, nil)
		}
		require.NoError(t, a.Watch(s))
		time.Sleep(25 * time.Second)
		assert.Equal(t, []string{"10.001s /uuid", "20.001s /uuid/fail"}, w.all())
		require.NoError(t, a.Close(t.Context()))
	})
}

// Of pings that say the same only those are merged that wait: the one under way may be too early.
func TestPingsThatWaitAreMerged(t *testing.T) {
	w := &web{answer: func(int, *http.Request) (*http.Response, error) {
		time.Sleep(51 * time.Second)
		return nil, nil
	}}
	trial(t, alerts.Config{Heartbeats: map[string]string{"backup": ping}, Timeout: time.Minute}, w,
		func(t *testing.T, a *alerts.Alerter, _ *job, _ *logs) {
			time.Sleep(125 * time.Second) // runs at 25, 45, 65, 85, 105 and 125 s
			assert.Equal(t, []string{"1m16s /uuid", "2m7s /uuid"}, w.all())
			assert.Equal(t, 1, a.Stats().Pending)
		})
}

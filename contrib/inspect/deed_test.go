package inspect_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/contrib/inspect"
)

// deedsJSON is what has been done on the page, and who has paused what the view is of.
type deedsJSON struct {
	Actions []struct {
		Did, By string
		Pool    struct{ Name string }
		Task    *struct{ Name, Path string }
		Tasks   int
	}
	PausedBy string `json:"paused_by"`
}

func deedsAt(t *testing.T, page http.Handler, path string) (told []string, pausedBy string) {
	t.Helper()
	var v deedsJSON
	require.NoError(t, json.Unmarshal(get(t, page, "/"+path+"?format=json").Body.Bytes(), &v))
	for _, d := range v.Actions {
		what := d.Pool.Name
		if d.Task != nil {
			what = d.Task.Name
		} else if d.Tasks > 0 {
			what = fmt.Sprint(d.Tasks, " tasks")
		}
		told = append(told, strings.TrimSpace(what+" "+d.Did+" "+d.By))
	}
	return told, v.PausedBy
}

// byHeader is who sends a request, as a header says it.
func byHeader() inspect.Option {
	return inspect.Who(func(r *http.Request) string { return r.Header.Get("User") })
}

func as(user string, r *http.Request) *http.Request {
	r.Header.Set("User", user)
	return r
}

func TestWhoPausedThis(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(t, 2, byHeader())
		path := taskPathOf(t, f.page, "first", "task 001")
		do := func(user, path, verb string) {
			t.Helper()
			w := answer(f.page, as(user, form(t, f.page, path, url.Values{"do": {verb}, "after": {"1h"}})))
			require.Equal(t, http.StatusSeeOther, w.Code, w.Body.String())
			time.Sleep(time.Second)
		}
		do("bob", "pool/first/", "pause")
		do("<b>alice</b>", path, "pause")
		for range 6 { // more than are shown
			do("carol", path, "reset")
		}
		told, by := deedsAt(t, f.page, path)
		assert.Len(t, told, 5)
		assert.Regexp(t, `^Paused on this page at .* by <b>alice</b>\.$`, by)
		_, by = deedsAt(t, f.page, "pool/first/")
		assert.Regexp(t, `^Paused on this page at .* by bob\.$`, by)
		html := get(t, f.page, "/"+path).Body.String()
		assert.Contains(t, html, "by &lt;b&gt;alice&lt;/b&gt;.")
		assert.NotContains(t, html, "<b>alice")
		assert.Contains(t, strings.Join(f.log.list, "\n"), "user=<b>alice</b>")

		do("dora", path, "resume")
		_, by = deedsAt(t, f.page, path)
		assert.Empty(t, by)
		require.True(t, lookup(t, f.first, "task 001").Pause())
		f.page.Forget()
		_, by = deedsAt(t, f.page, path)
		assert.Contains(t, by, "Not paused on this page", "dora has resumed it")
		told, by = deedsAt(t, f.page, "pool/second/")
		assert.Empty(t, told)
		assert.Empty(t, by)
	})
}

// What is done to several tasks by one form is one line of the index, and one of each task.
func TestWhoPausedSeveral(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(t, 3, byHeader())
		r := as("alice", selects(t, f.page, "tasks", "pause", "found"))
		preview := answer(f.page, r)
		done := answer(f.page, as("alice", confirms(t, r, preview)))
		require.Contains(t, done.Body.String(), "6 tasks paused")
		told, _ := deedsAt(t, f.page, "")
		assert.Equal(t, []string{"6 tasks paused alice"}, told)
		told, _ = deedsAt(t, f.page, "pool/second/")
		assert.Equal(t, []string{"3 tasks paused alice"}, told)
		told, by := deedsAt(t, f.page, taskPathOf(t, f.page, "second", "task 002"))
		assert.Equal(t, []string{"task 002 paused alice"}, told)
		assert.Contains(t, by, " by alice.")
	})
}

// What was refused, has changed nothing or only looks is no deed; without Who there is no name.
func TestDeedsAreOfThePageAlone(t *testing.T) {
	_, h, path, page, _ := steered(t)
	require.True(t, h.Pause())
	require.Equal(t, http.StatusSeeOther, act(t, page, path, url.Values{"do": {"pause"}}).Code)
	require.Equal(t, http.StatusBadRequest, act(t, page, path, url.Values{"do": {"explode"}}).Code)
	told, by := deedsAt(t, page, path)
	assert.Empty(t, told)
	assert.Contains(t, by, "Not paused on this page")
	require.Equal(t, http.StatusSeeOther, act(t, page, path, url.Values{"do": {"resume"}}).Code)
	require.Equal(t, http.StatusSeeOther, act(t, page, path, url.Values{"do": {"cancel"}}).Code)
	told, _ = deedsAt(t, page, "")
	assert.Equal(t, []string{"poll cancelled", "poll resumed"}, told)
}

func TestTheLastThousandDeedsAreRemembered(t *testing.T) {
	_, _, path, page, _ := steered(t)
	r := form(t, page, path, url.Values{"do": {"pause"}})
	require.Equal(t, http.StatusSeeOther, answer(page, r).Code)
	for range 1000 {
		require.Equal(t, http.StatusSeeOther,
			act(t, page, path, url.Values{"do": {"reset"}, "after": {"1h"}}).Code)
	}
	_, by := deedsAt(t, page, path)
	assert.Contains(t, by, "Not paused on this page")
}

// taskPathOf returns the address of a task.
func taskPathOf(t *testing.T, page http.Handler, pool, task string) string {
	t.Helper()
	var v listing
	require.NoError(t, json.Unmarshal(get(t, page, "/pool/"+pool+"/tasks?format=json").Body.Bytes(), &v))
	for _, row := range v.Tasks {
		if row.Task.Name == task {
			return row.Task.Path
		}
	}
	t.Fatalf("no task %s", task)
	return ""
}

func TestWhoNeedsAFunction(t *testing.T) {
	assert.PanicsWithValue(t, "inspect: nil function", func() { inspect.Who(nil) })
}

// Names may be of any length, and are not kept whole by what was done to a task.
func TestADeedOfATaskWithALongName(t *testing.T) {
	f := newFleet(t, 0)
	long := strings.Repeat("long ", 1<<18)
	h := f.add(t, f.first, long)
	path := taskPathOf(t, f.page, "first", listed(t, f.page, "first"))
	require.Equal(t, http.StatusSeeOther, act(t, f.page, path, url.Values{"do": {"pause"}}).Code)
	require.True(t, h.Paused())
	told, by := deedsAt(t, f.page, path)
	assert.Len(t, told, 1)
	assert.Regexp(t, `^Paused on this page at .*\.$`, by)
}

// listed returns the name of the only task of a pool, as it is shown.
func listed(t *testing.T, page http.Handler, pool string) string {
	names, _ := namesOf(t, page, "/pool/"+pool+"/tasks?format=json")
	require.Len(t, names, 1)
	return names[0]
}

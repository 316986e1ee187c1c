package inspect_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
)

// FuzzFleetAnswer has a member answer with anything: each view that is linked can be shown.
func FuzzFleetAnswer(f *testing.F) {
	f.Add(`{"at":"2026-01-01T00:00:00Z","process":{"instance":"x"},"tasks":[{"pool":{"name":"a"},"task":{"name":"b"},` +
		`"trouble":{"what":"stuck","took":"1s","run":3},"last_runs":[{"number":1,"whole":{"error":"x","stack":"y"}}]}]}`)
	f.Add(`{"at":"0001-01-01T00:00:01+23:59","wrong":{"shown":[{"what":"dead"}],"more":99999999999}}`)
	f.Add(`{"at":"9999-12-31T23:59:59Z","sources":[null,{}],"tasks":[null],"wrong":{"shown":[null]}}`)
	f.Fuzz(func(t *testing.T, answer string) {
		n := newNetwork()
		n.set("a", jsonOf(answer))
		page := n.fleet(t, three[0])
		v := look(t, page)
		paths := []string{"/", "/tasks"}
		for _, p := range append(v.Processes, v.Gone...) {
			paths = append(paths, "/"+p.Path)
		}
		for _, is := range v.Tasks {
			paths = append(paths, "/"+is.Path)
		}
		for _, path := range paths {
			assert.Equal(t, http.StatusOK, get(t, page, path).Code)
			assert.Equal(t, http.StatusOK, get(t, page, path+"?format=json").Code)
			assert.NotContains(t, get(t, page, path).Body.String(), "ERROR")
		}
	})
}

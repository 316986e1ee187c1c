package inspect_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/contrib/inspect"
	"github.com/punctual-go/punctual/contrib/inspect/panel"
	"github.com/punctual-go/punctual/executor/insight"
)

// What the processes share stands beside them, with what is wrong there, and can be acted on.
func TestAFleetHasPanels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(func(context.Context, panel.Query) (panel.View, error) {
			return panel.View{Troubles: []panel.Trouble{
				{What: insight.Dead, Says: "3 have failed for good", Error: "no such customer",
					Of: panel.Name("mail").To("failed", "mail")}}}, nil
		})
		f.do = func(context.Context, panel.Command) (bool, error) { return true, nil }
		n, log := newNetwork(), new(records)
		a := newReplica(t, "v1")
		a.fail(errors.New("disk full"))
		n.set("a", a.page)
		time.Sleep(3500 * ms)
		fleet := n.fleet(t, three[0]).With(inspect.PageOptions(inspect.Panels(f),
			inspect.Actions(anybody), inspect.Logger(slog.New(log))))

		v := look(t, fleet)
		assert.Equal(t, insight.Dead, v.Shows, "the worst of both")
		require.Len(t, v.Wrong.Shown, 2)
		assert.Equal(t, "panel/orders/failed/mail", v.Wrong.Shown[0].Task.Path)
		assert.Equal(t, "import", v.Wrong.Shown[1].Task.Name)
		html := get(t, fleet, "/").Body.String()
		assert.Contains(t, html, `<a href="./panel/orders/"><bdi>orders</bdi></a>`)
		assert.Contains(t, html, "no such customer")
		assert.Contains(t, get(t, fleet, "/panel/orders/").Body.String(), "3 have failed for good")

		w := act(t, fleet, "panel/orders/failed/mail", url.Values{"do": {"redrive"}})
		assert.Equal(t, http.StatusSeeOther, w.Code)
		assert.Equal(t, []panel.Command{{List: "failed", ID: "mail", Verb: "redrive"}}, f.commands)
		assert.Contains(t, log.last(), "do=redrive done=true")
		for _, path := range []string{"tasks/preview", "tasks/confirm", "task/a/b/", "pool/jobs/"} {
			r := form(t, fleet, "panel/orders/failed/mail", url.Values{"do": {"pause"}})
			r.URL.Path = "/" + path
			w := answer(fleet, r)
			assert.GreaterOrEqual(t, w.Code, http.StatusBadRequest, "%s: of processes nothing can be done here", path)
		}
	})
}

package inspect_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/punctual-go/punctual/contrib/inspect"
	"github.com/punctual-go/punctual/contrib/inspect/panel"
	"github.com/punctual-go/punctual/executor"
)

// queue is one of your own.
type queue struct{ dead map[string]error }

func (q *queue) failed(context.Context) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for id, err := range q.dead {
			if !yield(id, err) {
				return
			}
		}
	}
}

func (q *queue) redrive(_ context.Context, id string) (bool, error) {
	_, found := q.dead[id]
	delete(q.dead, id)
	return found, nil
}

type source struct{ queue *queue }

func (s source) About() panel.About {
	return panel.About{Name: "orders", Kind: "queue", Lists: []panel.List{{Name: "failed", Title: "Failed"}}}
}

func (s source) Read(ctx context.Context, at panel.Query) (panel.View, error) {
	if at.ID != "" {
		return panel.View{}, panel.ErrNotFound // nothing has a view of its own
	}
	t := panel.Table{Title: "Failed", Columns: []string{"order", "error"}}
	for id, err := range s.queue.failed(ctx) {
		t.Rows = append(t.Rows, panel.Row{
			Values:  []panel.Value{panel.Name(id), panel.Error(err.Error())},
			Actions: []panel.Action{{Ref: panel.Ref{List: "failed", ID: id}, Verb: "redrive", Label: "Run again"}},
		})
	}
	return panel.View{Tables: []panel.Table{t}}, nil
}

func (s source) Act(ctx context.Context, c panel.Command) (done bool, err error) {
	if c.List != "failed" || c.Verb != "redrive" {
		return false, panel.ErrNotFound
	}
	return s.queue.redrive(ctx, c.ID)
}

func ExamplePanels() {
	jobs := executor.NewScheduledPool(4, executor.Name("jobs"))
	defer jobs.Close()
	orders := &queue{dead: map[string]error{"4711": errors.New("card declined")}}

	page := inspect.Handler(jobs).With(inspect.Panels(source{orders}))

	answer := httptest.NewRecorder()
	page.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/panel/orders/failed", nil))
	fmt.Println(answer.Code, strings.Contains(answer.Body.String(), "card declined"))
	// Output: 200 true
}

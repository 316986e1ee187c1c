package inspect_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/contrib/inspect"
)

// A fleet among the members of a fleet, or of itself, is none of the processes, and what it says is
// not taken for theirs: else what was wrong once would be told in circles for ever.
func TestAFleetIsNoProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork()
		a := newReplica(t, "v1")
		n.set("a", a.page)
		self := n.fleet(t, three[:3]...)
		n.set("b", http.StripPrefix("/punctual", self))
		n.set("c", http.StripPrefix("/punctual", n.fleet(t, three[0])))
		a.fail(errors.New("disk full"))
		var v index
		for range 5 {
			time.Sleep(2 * time.Second)
			v = look(t, self)
		}
		assert.Equal(t, "a up v1; b silent ; c silent ; ", states(v.Processes))
		assert.Equal(t, "it answers as a fleet does, and has to be the page of a process", v.Processes[1].Trouble)
		assert.Equal(t, v.Processes[1].Trouble, v.Processes[2].Trouble)
		require.Len(t, v.Wrong.Shown, 3)
		assert.Len(t, v.Tasks, 1)
		a.fail(nil)
		for range 3 {
			time.Sleep(2 * time.Second)
			v = look(t, self)
		}
		assert.Len(t, v.Wrong.Shown, 2, "only that the others can't be seen")
	})
}

// stubborn is a network, and a resolver, that does not heed its context.
type stubborn struct {
	*network
	hung atomic.Int64
	held chan struct{}
}

func (h *stubborn) RoundTrip(r *http.Request) (*http.Response, error) {
	if strings.HasPrefix(r.URL.Host, "b") {
		h.hung.Add(1)
		<-h.held
	}
	return h.network.RoundTrip(r)
}

// A client that does not heed its context delays no view for longer than members that hang, whatever
// their number, and none of them is asked again before it returns.
func TestAClientThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const hang = 30
		h := &stubborn{network: newNetwork(), held: make(chan struct{})}
		h.set("a", newReplica(t, "v1").page)
		members := []inspect.Member{three[0]}
		for i := range hang {
			host := fmt.Sprintf("b%02d", i)
			h.set(host, newReplica(t, "v1").page)
			members = append(members, inspect.Address("http://"+host+"/punctual/"))
		}
		f := inspect.FleetHandler(members...).With(inspect.HTTPClient(&http.Client{Transport: h}))
		defer f.Close()
		look(t, f)
		time.Sleep(10 * time.Second)
		for range 3 {
			began := time.Now()
			v := look(t, f)
			assert.Zero(t, time.Since(began))
			assert.Equal(t, "a up v1; b00 silent ; ", states(v.Processes[:2]))
			assert.Equal(t, hang, strings.Count(states(v.Processes), "silent"))
			time.Sleep(2 * time.Second)
		}
		assert.EqualValues(t, hang, h.hung.Load())
		close(h.held)
		for range 3 {
			time.Sleep(2 * time.Second)
			look(t, f)
			synctest.Wait()
		}
		assert.Equal(t, hang+1, strings.Count(states(look(t, f).Processes), " up "))
	})
}

// A resolver that does not return delays no view for longer, either.
func TestAResolverThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork()
		n.set("a", newReplica(t, "v1").page)
		held := make(chan struct{})
		f := n.fleet(t, three[0], inspect.Service("http://jobs.svc/")).With(
			inspect.Resolver(panicky{func() { <-held }}))
		look(t, f)
		time.Sleep(10 * time.Second)
		began := time.Now()
		assert.Equal(t, "a up v1; ", states(look(t, f).Processes))
		assert.Zero(t, time.Since(began))
		assert.Contains(t, get(t, f, "/").Body.String(), "jobs.svc can’t be resolved: no answer within 2 s")
		close(held)
	})
}

// Of more addresses than are asked the others are counted, whatever becomes of those that are.
func TestAThousandAddresses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork()
		page := newReplica(t, "v1").page
		var all []string
		for i := range 1000 {
			all = append(all, fmt.Sprintf("10.0.%d.%d", 100+i/100, 100+i%100)) // in order, as texts too
			if i%2 == 0 {
				n.set(all[i], page)
			}
		}
		n.lead("jobs.svc", all...)
		f := n.fleet(t, inspect.Service("http://jobs.svc/punctual/")).With(inspect.Resolver(n))
		for range 20 {
			look(t, f)
			time.Sleep(2 * time.Second)
		}
		v := look(t, f)
		assert.Len(t, v.Processes, 256)
		up := 0
		for _, p := range v.Processes {
			if p.State == "up" {
				up++
			}
		}
		assert.Equal(t, 128, up)
		body := get(t, f, "/").Body
		assert.Less(t, body.Len(), 1<<20)
		assert.Contains(t, body.String(), "744 of the addresses of jobs.svc are not asked")
		n.lead("jobs.svc", all[:1]...)
		time.Sleep(6 * time.Second)
		look(t, f)
		synctest.Wait()
		assert.Len(t, look(t, f).Processes, 1)
	})
}

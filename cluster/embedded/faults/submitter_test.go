package faults

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/punctual-go/punctual/cluster"
)

// submitter is a process that submits tasks, cancels some, and now and then leaves and joins again.
// What it is promised, or not, it writes down.
type submitter struct {
	*nodes
	tasks
	random *rand.Rand // of the one who draws
	begun  time.Time
	all    sync.WaitGroup
	room   chan struct{}                               // one for each call under way
	ends   func(context.Context, *cluster.Future[int]) // how tasks are cancelled

	pool *cluster.Pool // changed by the one who draws

	mu   sync.Mutex
	kept map[string]kept
	ids  []string // in the order in which they were accepted
	far  []string // those due much later
}

// kept is a future, and of which task it is.
type kept struct {
	*cluster.Future[int]
	task cluster.Task[input, int]
}

func (ns *nodes) submitter(ctx context.Context, random *rand.Rand) *submitter {
	return &submitter{nodes: ns, tasks: ns.tasks(), random: random, begun: time.Now(),
		room: make(chan struct{}, 64), ends: ns.cancel, pool: ns.join(ctx), kept: map[string]kept{}}
}

// verb is what a submitter may do, and how often, compared with the others.
type verb struct {
	name  string
	often int
	do    func(s *submitter, ctx context.Context)
}

// taskVerbs are those of tasks. Keys are new every few seconds, as one whose task has ended says
// nothing new.
var taskVerbs = []verb{
	{"at once", 30, func(s *submitter, ctx context.Context) {
		s.submit(ctx, 0, s.work, s.brief())
	}},
	{"soon", 30, func(s *submitter, ctx context.Context) {
		s.submit(ctx, s.soon(), s.work, s.brief())
	}},
	{"long", 6, func(s *submitter, ctx context.Context) {
		s.submit(ctx, s.soon(), s.work, input{Sleep: upTo(s.random, 0, 2*time.Second)})
	}},
	{"fails", 6, func(s *submitter, ctx context.Context) {
		s.submit(ctx, s.soon(), s.work, input{Do: "fail"})
	}},
	{"tried again", 8, func(s *submitter, ctx context.Context) {
		s.submit(ctx, s.soon(), s.push, input{Do: "try", N: 1 + s.random.IntN(4)})
	}},
	{"once", 12, func(s *submitter, ctx context.Context) {
		key := s.key("once")
		s.submitKey(ctx, key, s.soon(), s.brief(), cluster.Once(key))
	}},
	{"once unless failed", 8, func(s *submitter, ctx context.Context) {
		key, in := s.key(unlessFailed), s.brief()
		if s.random.IntN(2) == 0 {
			in.Do = "fail"
		}
		s.submitKey(ctx, key, s.soon(), in, cluster.OnceUnlessFailed(key))
	}},
	{farAway, 6, (*submitter).farAndCancelled},
	{"cancel", 14, (*submitter).cancelOne},
}

const farAway = "in a minute"

func (s *submitter) soon() time.Duration {
	if s.random.IntN(4) == 0 {
		return 0
	}
	return upTo(s.random, 0, 2*time.Second)
}

func (s *submitter) brief() input {
	return input{Sleep: upTo(s.random, 0, 200*time.Millisecond), N: s.random.IntN(1000)}
}

func (s *submitter) key(of string) string {
	return fmt.Sprint(of, " ", int(time.Since(s.begun)/(3*time.Second)), ".", s.random.IntN(3))
}

// run draws verbs until over.
func (s *submitter) run(ctx context.Context, over time.Time, verbs []verb) {
	sum := 0
	for _, v := range verbs {
		sum += v.often
	}
	for time.Now().Before(over) {
		time.Sleep(upTo(s.random, 10*time.Millisecond, 120*time.Millisecond))
		n := s.random.IntN(sum)
		for _, v := range verbs {
			if n -= v.often; n < 0 {
				v.do(s, ctx)
				break
			}
		}
	}
	s.all.Wait()
}

// patience returns a context, short for one of five: what it cuts off may be stored or not.
func (s *submitter) patience(ctx context.Context) (context.Context, context.CancelFunc) {
	if s.random.IntN(5) == 0 {
		return context.WithTimeout(ctx, upTo(s.random, 100*time.Millisecond, 2*time.Second))
	}
	return context.WithTimeout(ctx, time.Minute)
}

func (s *submitter) submit(
	ctx context.Context, d time.Duration, t cluster.Task[input, int], in input,
) {
	s.submitKey(ctx, "", d, in, nil, t)
}

func (s *submitter) submitKey(
	ctx context.Context, key string, d time.Duration, in input, opt cluster.SubmitOption,
	t ...cluster.Task[input, int],
) {
	task := append(t, s.work)[0]
	ctx, done := s.patience(ctx)
	s.call(func(p *cluster.Pool) {
		defer done()
		s.stored(key, task, func() (*cluster.Future[int], error) {
			return cluster.Schedule(ctx, p, d, task, in, opt)
		})
	})
}

// call makes a call while others are under way.
func (s *submitter) call(do func(*cluster.Pool)) {
	p := s.pool
	s.room <- struct{}{}
	s.all.Go(func() {
		defer func() { <-s.room }()
		do(p)
	})
}

// stored writes down what came of a submission. It returns nil if it was not accepted.
func (s *submitter) stored(
	key string, task cluster.Task[input, int], submit func() (*cluster.Future[int], error),
) *cluster.Future[int] {
	e := event{Kind: "accepted", Key: key, Begun: time.Now()}
	f, err := submit()
	if err != nil {
		s.refused(e, err)
		return nil
	}
	e.ID = f.ID()
	s.journal.write(e)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kept[f.ID()].Future == nil {
		s.ids = append(s.ids, f.ID())
	}
	s.kept[f.ID()] = kept{f, task}
	return f
}

// refused writes down why a call has failed. What a fault has kept from an answer, or the end of
// this pool, may have come about or not; all else must not be.
func (ns *nodes) refused(e event, err error) {
	e.Kind, e.Text = "failed", err.Error()
	if errors.Is(err, cluster.ErrUnavailable) || errors.Is(err, cluster.ErrClosed) ||
		isContextError(err) {
		e.Kind = "uncertain"
	}
	ns.journal.write(e)
}

// farAndCancelled submits what is due much later, and cancels it soon.
func (s *submitter) farAndCancelled(ctx context.Context) {
	wait := upTo(s.random, 0, time.Second)
	s.call(func(p *cluster.Pool) {
		f := s.stored("", s.work, func() (*cluster.Future[int], error) {
			return cluster.Schedule(ctx, p, time.Minute, s.work, input{})
		})
		if f == nil {
			return
		}
		s.mu.Lock()
		s.far = append(s.far, f.ID())
		s.mu.Unlock()
		time.Sleep(wait)
		s.cancel(ctx, f)
	})
}

// cancelOne cancels one of the last that were accepted.
func (s *submitter) cancelOne(ctx context.Context) {
	s.mu.Lock()
	var f *cluster.Future[int]
	if n := len(s.ids); n > 0 {
		f = s.kept[s.ids[n-1-s.random.IntN(min(n, 30))]].Future
	}
	s.mu.Unlock()
	if f == nil {
		return
	}
	ctx, done := s.patience(ctx)
	s.call(func(*cluster.Pool) {
		defer done()
		s.ends(ctx, f)
	})
}

// cancel cancels a task, and writes down what was said. That it is prevented counts even if what
// comes after it has failed.
func (ns *nodes) cancel(ctx context.Context, f *cluster.Future[int]) {
	e := event{Kind: "cancelled", ID: f.ID(), Begun: time.Now()}
	prevented, err := f.Cancel(ctx)
	switch {
	case prevented:
		e.Text = prevents
	case err != nil:
		ns.refused(e, err)
		return
	}
	ns.journal.write(e)
}

const prevents = "prevented"

// rejoin leaves the pool and joins it again: futures go on by their IDs.
func (s *submitter) rejoin(ctx context.Context) {
	s.pool.Close()
	s.pool = s.join(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, k := range s.kept {
		s.kept[id] = kept{cluster.Attach(s.pool, k.task, id), k.task}
	}
}

// collect writes down the outcomes of all that was accepted, as this submitter and a stranger see
// them.
func (s *submitter) collect(ctx context.Context, stranger *cluster.Pool) {
	for _, id := range s.far { // a cancel may have had no answer, and a minute is long
		s.cancel(ctx, s.kept[id].Future)
	}
	var all sync.WaitGroup
	for _, id := range s.ids {
		s.room <- struct{}{}
		all.Go(func() {
			defer func() { <-s.room }()
			v, err := s.kept[id].Get(ctx)
			s.saw(id, v, err)
			v, err = cluster.Attach(stranger, s.kept[id].task, id).Get(ctx)
			s.saw(id, v, err)
		})
	}
	all.Wait()
}

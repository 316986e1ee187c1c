package faults_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/probe"
)

// The life of a pool as a language: TestE1 speaks every word of up to five letters to a real pool
// and to a model of it, and compares the two after each letter. Of the words of six letters it
// speaks every eighth or so, others each time, or all if the environment variable PUNCTUAL_STRESS
// is set.
//
// The lengths are such that nothing that ends and nothing that begins meet at one instant, where
// either would be right.
const (
	flShort    = 5
	flLong     = 6
	flOneIn    = 8                      // of the long ones
	flBody     = 2 * time.Second        // of a task of Submit
	flDelay    = 5 * time.Second        // of one of Schedule, whose body takes no time
	flCleanUp  = 500 * time.Millisecond // what a body takes that is interrupted
	flPatience = 3*time.Second + 1      // of Await
	flKeep     = 10 * time.Millisecond  // how long an idle worker stays
)

// flTask is a task, as the pool and as the model have it.
type flTask struct {
	name     string
	when     time.Duration
	body     time.Duration
	future   *future.Future[struct{}]
	began    []time.Duration // by the pool
	begins   []time.Duration // by the model
	end      time.Duration
	outcomes []error // that the future has to match; a single nil for a value
}

// flModel is a pool of one worker, told in a few lines.
//
//	running -> stopping   ShutdownNow while a body runs, which then cleans up
//	running -> over       Close, which waits, or ShutdownNow while none runs
//	stopping -> over      the body has ended
type flModel struct {
	state   string
	now     time.Duration
	queue   []*flTask // in order of time, then of submission
	busy    *flTask
	worker  bool
	idle    time.Duration // since when the worker is
	counted executor.Stats
}

// until lets time pass.
func (m *flModel) until(t time.Duration) {
	for {
		switch {
		case m.busy != nil && m.busy.end <= t:
			m.idle, m.busy = m.busy.end, nil
			m.counted.Completed++
			if m.state == "stopping" {
				m.over()
			}
			continue
		case m.busy == nil && len(m.queue) > 0 && m.queue[0].when <= t:
			k := m.queue[0]
			m.queue, m.busy = m.queue[1:], k
			begin := max(k.when, m.idle)
			k.begins = append(k.begins, begin)
			k.end = begin + k.body
			k.outcomes = []error{nil}
			continue
		}
		m.now = t
		m.worker = m.worker && (m.busy != nil || len(m.queue) > 0 || t-m.idle < flKeep)
		return
	}
}

func (m *flModel) over() { m.state, m.worker = "terminated", false }

// starts reports whether a worker starts.
func (m *flModel) starts() bool {
	if m.state != "running" || m.worker {
		return false
	}
	m.worker, m.idle = true, m.now
	return true
}

func (m *flModel) submit(k *flTask) error {
	if m.state != "running" {
		m.counted.Rejected++
		return executor.ErrShutdown
	}
	m.counted.Accepted++
	m.starts()
	m.queue = append(m.queue, k)
	slices.SortStableFunc(m.queue, func(a, b *flTask) int { return cmp.Compare(a.when, b.when) })
	m.until(m.now)
	return nil
}

// drop takes out all tasks that are due later than t.
func (m *flModel) drop(t time.Duration) (names []string) {
	m.queue = slices.DeleteFunc(m.queue, func(k *flTask) bool {
		if k.when <= t {
			return false
		}
		names = append(names, k.name)
		k.outcomes = []error{future.ErrCancelled, executor.ErrShutdown}
		m.counted.Returned++
		return true
	})
	return names
}

func (m *flModel) shutdownNow() (names []string) {
	names = m.drop(-1)
	switch {
	case m.state != "running":
	case m.busy == nil:
		m.over()
	default:
		m.state = "stopping"
		m.busy.end = m.now + flCleanUp
		m.busy.outcomes = []error{executor.ErrShutdown}
	}
	return names
}

// ends returns when the pool will have terminated, if it is shut down now.
func (m *flModel) ends() time.Duration {
	end := m.now
	if m.busy != nil {
		end = m.busy.end
	}
	for _, k := range m.queue {
		end += k.body
	}
	return end
}

func (m *flModel) close() {
	if m.state == "running" {
		m.drop(m.now)
	}
	m.until(m.ends())
	m.over()
}

func (m *flModel) await() error {
	if m.state == "terminated" {
		return nil
	}
	if m.state == "stopping" {
		m.until(m.ends())
		return nil
	}
	m.until(m.now + flPatience)
	return context.DeadlineExceeded
}

// stats is what the pool has to tell.
func (m *flModel) stats() executor.Stats {
	s := m.counted
	s.State, s.Queued = m.state, len(m.queue)
	if m.busy != nil {
		s.Busy = 1
	}
	if m.worker {
		s.Workers = 1
	}
	return s
}

// flSpeaker speaks a word.
type flSpeaker struct {
	pool  *executor.ScheduledPool
	model *flModel
	start time.Time // of the pool
	tasks []*flTask
	old   []*flModel
}

// flLetters are what can be done with a pool. Each returns an error if pool and model differ.
var flLetters = []struct {
	name  string
	speak func(s *flSpeaker) error
}{
	{"Start", func(s *flSpeaker) error { return flSame(s.pool.PrestartWorker(), s.model.starts()) }},
	{"Submit", func(s *flSpeaker) error { return s.add(flBody, 0) }},
	{"Schedule", func(s *flSpeaker) error { return s.add(0, flDelay) }},
	{"Close", func(s *flSpeaker) error {
		err := s.pool.Close()
		s.model.close()
		return flSame(err, nil)
	}},
	{"ShutdownNow", func(s *flSpeaker) error {
		var names []string
		for _, p := range s.pool.ShutdownNow() {
			names = append(names, p.Name)
		}
		return flSame(fmt.Sprint(names), fmt.Sprint(s.model.shutdownNow()))
	}},
	{"Await", func(s *flSpeaker) error {
		ctx, cancel := context.WithTimeout(context.Background(), flPatience)
		defer cancel()
		return flSame(s.pool.AwaitTermination(ctx), s.model.await())
	}},
	{"drop", func(s *flSpeaker) error {
		s.old = append(s.old, s.model)
		s.fresh()
		return nil
	}},
}

func flSame(got, want any) error {
	if g, ok := got.(error); ok {
		if w, ok := want.(error); ok && errors.Is(g, w) { // with the name of the task
			return nil
		}
	}
	if got != want {
		return fmt.Errorf("%v, not %v", got, want)
	}
	return nil
}

// fresh takes a new pool, and forgets the one there is. Idle workers leave, so that a forgotten
// pool comes to its end, too: whatever stays keeps the bubble from ending.
func (s *flSpeaker) fresh() {
	s.pool = executor.NewScheduledPool(1, pooltest.Quiet(), executor.CoreTimeout(), executor.KeepAlive(flKeep))
	s.start, s.model = time.Now(), &flModel{state: "running"}
}

func (s *flSpeaker) add(body, delay time.Duration) error {
	k := &flTask{name: fmt.Sprint(len(s.tasks)), when: s.model.now + delay, body: body}
	start := s.start
	task := func(ctx context.Context) error {
		k.began = append(k.began, time.Since(start))
		select {
		case <-time.After(body):
			return nil
		case <-ctx.Done():
			time.Sleep(flCleanUp)
			return context.Cause(ctx)
		}
	}
	if body == 0 {
		task = func(context.Context) error { k.began = append(k.began, time.Since(start)); return nil }
	}
	f, err := s.pool.Schedule(delay, task, executor.Name(k.name))
	if f != nil {
		k.future = f.Future
		s.tasks = append(s.tasks, k)
	}
	return flSame(err, s.model.submit(k))
}

// compare looks at pool and model at rest.
func (s *flSpeaker) compare() error {
	synctest.Wait()
	if now := time.Since(s.start); now != s.model.now {
		return fmt.Errorf("at %v, not at %v", now, s.model.now)
	}
	got := s.pool.Stats()
	return flSame(executor.Stats{
		State: got.State, Workers: got.Workers, Busy: got.Busy, Queued: got.Queued,
		Accepted: got.Accepted, Rejected: got.Rejected, Completed: got.Completed, Returned: got.Returned,
	}, s.model.stats())
}

// end lets everything that goes on come to its end, and compares all tasks.
func (s *flSpeaker) end() error {
	s.pool = nil
	flPassAnHour()
	for _, m := range append(s.old, s.model) {
		m.until(m.now + time.Hour)
	}
	for _, k := range s.tasks {
		r, settled := k.future.Poll()
		if !settled || !slices.Equal(k.began, k.begins) {
			return fmt.Errorf("task %s began at %v, not at %v, and is %v", k.name, k.began, k.begins, k.future)
		}
		for _, want := range k.outcomes {
			if !errors.Is(r.Err, want) {
				return fmt.Errorf("task %s ends with %v, not with %v", k.name, r.Err, want)
			}
		}
	}
	return nil
}

func flPassAnHour() {
	time.Sleep(time.Hour)
	synctest.Wait()
}

// flSpeak speaks the word of the given letters.
func flSpeak(word []int) error {
	s := new(flSpeaker)
	s.fresh()
	for i, l := range word {
		err := flLetters[l].speak(s)
		if err == nil {
			err = s.compare()
		}
		if err != nil {
			return fmt.Errorf("%s, after %s: %w", flLetters[l].name, flText(word[:i]), err)
		}
	}
	if err := s.end(); err != nil {
		return fmt.Errorf("%s: %w", flText(word), err)
	}
	return nil
}

func flText(word []int) string {
	names := []string{}
	for _, l := range word {
		names = append(names, flLetters[l].name)
	}
	return fmt.Sprint(names)
}

// flDrop is the letter that forgets the pool. After another of its kind it would say nothing new.
const flDrop = 6

// flWords yields the words of exactly so many letters that begin with the given ones.
func flWords(word []int, length int, speak func(word []int) error) error {
	if length == len(word) {
		return speak(word)
	}
	for l := range flLetters {
		if l == flDrop && word[len(word)-1] == flDrop {
			continue
		}
		if err := flWords(append(word, l), length, speak); err != nil {
			return err
		}
	}
	return nil
}

// flSome speaks some of the words.
func flSome(word []int) error {
	if rand.IntN(flOneIn) > 0 {
		return nil
	}
	return flSpeak(word)
}

func TestE1_EveryWordOfThePoolsLifeMeansWhatTheModelSays(t *testing.T) {
	long := flSome
	switch {
	case os.Getenv("PUNCTUAL_STRESS") != "":
		long = flSpeak
	case testing.Short() || probe.RaceEnabled:
		long = func([]int) error { return nil }
	}
	for l, letter := range flLetters[:flDrop] { // a pool that is dropped first is as good as none
		t.Run(letter.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				for length := 1; length <= flShort; length++ {
					if err := flWords([]int{l}, length, flSpeak); err != nil {
						t.Error(err)
						return
					}
				}
				if err := flWords([]int{l}, flLong, long); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

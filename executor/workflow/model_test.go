package workflow_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/workflow"
)

// seeds returns how many random workflows to try, which is ten times less than the environment says
// for those that take a pool.
func seeds(otherwise uint64) uint64 {
	if n, err := strconv.ParseUint(os.Getenv("PUNCTUAL_SEEDS"), 10, 64); err == nil {
		return n
	}
	return otherwise
}

// model is a job that follows others, as the documentation has it.
type model struct {
	job     workflow.Job
	paused  bool
	come    map[string]uint64 // runs that count, and have led to none yet
	due     map[string]uint64 // of the run that waits, or has expired
	owed    map[string]uint64 // of runs that were dropped
	waiting bool
	lost    bool // with the task that had the run
}

func (m *model) ended(from string, success, failure bool) {
	all, some := true, false
	for _, up := range m.job.After {
		if up.Name == from && (success && up.When == workflow.OnSuccess || failure && up.When == workflow.OnFailure || up.When == workflow.Always) {
			m.come[from]++
		}
		all, some = all && m.come[up.Name] > 0, some || m.come[up.Name] > 0
	}
	if some && (all || m.job.Any) {
		move(m.owed, m.come)
		m.ask()
	}
}

func (m *model) ask() {
	if !m.paused {
		move(m.due, m.owed)
		m.waiting, m.lost = true, false
	}
}

func (m *model) begin() map[string]uint64 {
	told := map[string]uint64{}
	move(told, m.due)
	m.waiting = false
	return told
}

func (m *model) replace() {
	m.lost = m.lost || len(m.due) > 0
	move(m.owed, m.due)
	if m.waiting = false; m.lost {
		m.ask()
	}
}

func move(to, from map[string]uint64) {
	for name, n := range from {
		to[name] += n
		delete(from, name)
	}
}

// TestModel compares random workflows with the model, and which are refused with a definition of
// cycles. A million take some time: PUNCTUAL_SEEDS=1000000.
func TestModel(t *testing.T) {
	refused := 0
	n := seeds(20000)
	for seed := range n {
		r := rand.New(rand.NewPCG(seed, 1))
		jobs := drawn(r)
		core, text := workflow.NewCore(jobs)
		if isCyclic(jobs) {
			require.Contains(t, text, "it follows itself", "seed %d: %v", seed, jobs)
			refused++
			continue
		}
		require.Empty(t, text, "seed %d: %v", seed, jobs)
		played(t, r, seed, jobs, core)
	}
	require.Greater(t, refused, int(n/100), "there are cycles")
	require.Less(t, refused, int(n/2), "and others")
}

// drawn returns random jobs.
func drawn(r *rand.Rand) []workflow.Job {
	jobs := make([]workflow.Job, 2+r.IntN(5))
	for i := range jobs {
		jobs[i].Job = executor.Job{Name: fmt.Sprint("j", i), Task: sleep(0)}
		jobs[i].Any = r.IntN(3) == 0
		backwards := r.IntN(12) == 0
		for k := range jobs {
			if r.IntN(3) == 0 && (k < i || backwards) {
				when := []workflow.Condition{workflow.OnSuccess, workflow.OnFailure, workflow.Always}[r.IntN(3)]
				jobs[i].After = append(jobs[i].After, workflow.Upstream{Name: fmt.Sprint("j", k), When: when})
			}
		}
	}
	return jobs
}

// isCyclic reports whether a job follows itself: whether it can be reached from itself.
func isCyclic(jobs []workflow.Job) bool {
	reach := map[[2]string]bool{}
	for _, j := range jobs {
		for _, up := range j.After {
			reach[[2]string{j.Name, up.Name}] = true
		}
	}
	for _, via := range jobs {
		for _, a := range jobs {
			for _, b := range jobs {
				if reach[[2]string{a.Name, via.Name}] && reach[[2]string{via.Name, b.Name}] {
					reach[[2]string{a.Name, b.Name}] = true
				}
			}
		}
	}
	for _, j := range jobs {
		if reach[[2]string{j.Name, j.Name}] {
			return true
		}
	}
	return false
}

// played does random things to a workflow and its model.
func played(t *testing.T, r *rand.Rand, seed uint64, jobs []workflow.Job, core *workflow.Core) {
	models := map[string]*model{}
	for _, j := range jobs {
		models[j.Name] = &model{job: j, come: map[string]uint64{}, due: map[string]uint64{}, owed: map[string]uint64{}}
	}
	var log []string
	for range 30 {
		name := jobs[r.IntN(len(jobs))].Name
		m, task := models[name], core.Tasks[name]
		step := ""
		switch r.IntN(10) {
		default:
			how := r.IntN(3)
			step = fmt.Sprint("ends ", how)
			core.Ended(name, how == 0, how == 1)
			for _, other := range jobs {
				if other.After != nil {
					models[other.Name].endedIfAfter(name, how)
				}
			}
		case 0, 1: // also one that a person has triggered
			step = "begins"
			told := map[string]uint64{}
			for _, c := range core.Begin(name) {
				told[c.Name] += c.Runs
			}
			require.Equal(t, m.begin(), told, "seed %d: %v\n%s\n%s %s", seed, jobs, strings.Join(log, "\n"), name, step)
		case 2:
			step = "is paused, or resumed"
			m.paused = !m.paused
			task.Paused = m.paused
		case 3:
			step = "expires"
			m.waiting, task.Waiting = false, false
		case 4:
			step = "is replaced"
			core.Replace(name)
			m.replace()
		}
		log = append(log, name+" "+step)
		for _, j := range jobs {
			require.Equal(t, models[j.Name].waiting, core.Tasks[j.Name].Waiting, "seed %d: %v\n%s: %s", seed, jobs,
				strings.Join(log, "\n"), j.Name)
		}
	}
}

// endedIfAfter tells a model of a run of a job that it follows.
func (m *model) endedIfAfter(from string, how int) {
	for _, up := range m.job.After {
		if up.Name == from {
			m.ended(from, how == 0, how == 1)
		}
	}
}

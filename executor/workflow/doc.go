// Package workflow lets jobs of a pool follow each other: one runs when others have ended.
//
//	flow := workflow.New(pool)
//	changes, err := flow.Apply(
//		workflow.Job{Job: executor.Job{Name: "extract", Every: time.Hour, Task: extract}},
//		workflow.Job{Job: executor.Job{Name: "load", Task: load},
//			After: []workflow.Upstream{{Name: "extract"}}},
//		workflow.Job{Job: executor.Job{Name: "alarm", Task: alarm},
//			After: []workflow.Upstream{{Name: "extract", When: workflow.OnFailure}}},
//	)
//
// Jobs are desired state, as for [executor.ScheduledPool.Apply], and what follows what is part of
// it. A job that follows others has no times of its own: it is a job on demand, and the workflow
// demands its runs by what [executor.Handle.Trigger] does. So it waits in the queue like any run,
// is bounded, paced, cancelled and handed back like one, and holds no worker meanwhile; a person
// may trigger it, too.
//
// # When a job runs
//
// A run of an upstream job has ended when its body has returned, also after a timeout, and the error
// handler has been called. Attempts of one run, see [executor.Retry], count as one, by how the last
// ends.
//
//	                               OnSuccess   OnFailure   Always
//	it succeeded                       x                      x
//	it failed, panicked, timed out                 x          x
//	it expired, see BeginWithin                    x          x
//	it was skipped, see ErrSkipped                            x
//	it failed when cancelled                                  x
//
// A job runs when each of its upstream jobs has had a run that counts, or one of them, if
// [Job.Any] is set. These runs are then spent: for the next run, each has to come again. A run that
// does not count changes nothing, and takes nothing back.
//
//   - More runs of one upstream job, while others are waited for, lead to one run; so do those that
//     come while that run waits for a worker. [Causes] tells it how many there were. What comes
//     during the run leads to another, after it: runs of a job do not overlap.
//   - While the job is paused, or has ended, a run that it would have had is dropped, and so is one
//     that expires: the next run is told of its causes as well. As after any pause,
//     [executor.Handle.Resume] itself starts nothing; [executor.Handle.Trigger] does.
//   - An upstream job that is paused, disabled, or has ended has no runs, and is waited for.
//   - Upstream runs that have ended are remembered over calls of Apply, also if jobs are replaced,
//     as long as the job still follows that one on the same condition. A run that a job was still
//     waiting for when it was replaced is had by the new one.
//   - When the pool is shut down, and so ends its jobs, none follows another any more. What waits
//     is handed back like any series.
//
// [Workflow.Graph] has what follows what as data, and what each job waits for.
//
// That two jobs may not run at the same time is nothing that a workflow can say; package serial can
// for tasks that run once. What a recording has of a workflow is played again at the recorded
// times, see package replay.
//
// A run of a job that follows, and of one that is followed, costs some allocations more than others;
// see BenchmarkRun. Other tasks of the pool cost what they did. A workflow has no goroutine and no
// timer.
package workflow

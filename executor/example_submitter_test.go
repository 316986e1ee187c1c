package executor_test

import (
	"context"
	"fmt"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/future"
)

// Mailer is a service that has somebody run its tasks, and need not know who that is.
type Mailer struct{ Tasks executor.Submitter }

// Send sends a letter, and returns when that is done.
func (m *Mailer) Send(ctx context.Context, to string) error {
	receipt, err := executor.Submit(m.Tasks, func(context.Context) (string, error) {
		return "sent to " + to, nil
	})
	if err != nil {
		return fmt.Errorf("mailer: %w", err)
	}
	text, err := receipt.Get(ctx)
	fmt.Println(text)
	return err
}

// fakeTasks is what a test of the Mailer gives it: it runs tasks at once, or refuses them all.
type fakeTasks struct{ refusal error }

func (f fakeTasks) Execute(task executor.Task, _ ...executor.TaskOption) error {
	_, err := f.Submit(task)
	return err
}

func (f fakeTasks) Submit(
	task executor.Task, _ ...executor.TaskOption,
) (*future.Future[struct{}], error) {
	if f.refusal != nil {
		return nil, f.refusal
	}
	t := future.NewTask(func(ctx context.Context) (none struct{}, err error) { return none, task(ctx) })
	t.Run(context.Background())
	return t.Future(), nil
}

// A service holds the interface: a pool in production, a fake in its tests.
func ExampleSubmitter() {
	ctx := context.Background()
	pool := executor.NewPool(2)
	defer pool.Close()
	fmt.Println((&Mailer{Tasks: pool}).Send(ctx, "Ada"))
	fmt.Println((&Mailer{Tasks: fakeTasks{}}).Send(ctx, "Grace"))
	fmt.Println((&Mailer{Tasks: fakeTasks{executor.ErrSaturated}}).Send(ctx, "Alan"))
	// Output:
	// sent to Ada
	// <nil>
	// sent to Grace
	// <nil>
	// mailer: executor: pool is saturated
}

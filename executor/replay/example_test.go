package replay_test

import (
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/replay"
)

// Last night a poll was late, as an import held the only worker. Would a second one have helped?
func ExampleRecording_Play() {
	night, err := replay.ReadFile("testdata/last-night.jsonl")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("recorded:", night.Latest("poll"))
	synctest.Test(new(testing.T), func(*testing.T) {
		again, err := night.Play(func(record executor.Option) *executor.ScheduledPool {
			return executor.NewScheduledPool(2, record)
		})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println("with two workers:", again.Latest("poll"))
	})
	// Output:
	// recorded: 8.5s
	// with two workers: 0s
}

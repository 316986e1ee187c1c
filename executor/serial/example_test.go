package serial_test

import (
	"context"
	"fmt"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/serial"
)

func ExampleNew() {
	pool := executor.NewPool(4)
	defer pool.Close()
	account := serial.New(pool)

	balance := 0 // needs no lock: one task after another has it
	for range 100 {
		account.Execute(func(context.Context) error { balance += 10; return nil })
	}
	account.Execute(func(context.Context) error { balance /= 4; return nil })
	final, _ := executor.Submit(account, func(context.Context) (int, error) { return balance, nil })
	fmt.Println(final.Get(context.Background()))
	// Output: 250 <nil>
}

func ExampleNewKeyed() {
	pool := executor.NewPool(4)
	texts := map[string]*string{"ann": new(string), "bob": new(string)}
	authors := serial.NewKeyed[string](pool)
	write := func(author, words string) {
		authors.Execute(author, func(context.Context) error {
			*texts[author] += words // one after another for each author, side by side for both
			return nil
		})
	}
	write("ann", "Tasks of one key ")
	write("bob", "Tasks of different keys ")
	write("ann", "run in the order ")
	write("bob", "run side by side.")
	write("ann", "in which they came.")
	pool.Close() // waits until all have run
	fmt.Println(*texts["ann"])
	fmt.Println(*texts["bob"])
	// Output:
	// Tasks of one key run in the order in which they came.
	// Tasks of different keys run side by side.
}

func ExampleGap() {
	pool := executor.NewPool(4)
	defer pool.Close()
	const pause = 5 * time.Millisecond
	polite := serial.New(pool, serial.Gap(pause), executor.Pace(100, time.Minute))

	var left time.Time
	polite.Execute(func(context.Context) error { left = time.Now(); return nil })
	rested, _ := executor.Submit(polite, func(context.Context) (bool, error) {
		return time.Since(left) >= pause, nil
	})
	fmt.Println(rested.Get(context.Background()))
	// Output: true <nil>
}

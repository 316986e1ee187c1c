package delayqueue_test

import (
	"context"
	"fmt"
	"time"

	"github.com/punctual-go/punctual/delayqueue"
)

func Example() {
	q := delayqueue.New[string]()
	defer q.Close()

	_, _ = q.Put("later", 100*time.Millisecond)
	_, _ = q.Put("sooner", time.Millisecond)

	for range 2 {
		e, err := q.Take(context.Background())
		fmt.Println(e, err)
	}
	// Output:
	// sooner <nil>
	// later <nil>
}

func ExampleItem_Remove() {
	q := delayqueue.New[string]()
	defer q.Close()

	reply, _ := q.Put("timeout of a request", time.Hour)
	_, _ = q.Put("heartbeat", time.Millisecond)

	fmt.Println("answered in time:", reply.Remove())
	fmt.Println("removed again:", reply.Remove())

	e, _ := q.Take(context.Background())
	fmt.Println("taken:", e)
	fmt.Println("left:", q.Len())
	// Output:
	// answered in time: true
	// removed again: false
	// taken: heartbeat
	// left: 0
}

func ExampleItem_Reset() {
	q := delayqueue.New[string]()
	defer q.Close()

	session, _ := q.Put("session", time.Millisecond)
	_, _ = q.Put("report", 2*time.Millisecond)

	session.Reset(4 * time.Millisecond) // it was used

	for range 2 {
		e, _ := q.Take(context.Background())
		fmt.Println(e)
	}
	fmt.Println("after its end:", session.Reset(time.Hour))
	// Output:
	// report
	// session
	// after its end: false
}

func ExampleQueue_All() {
	q := delayqueue.New[string]()
	defer q.Close()

	_, _ = q.Put("tomorrow", 24*time.Hour)
	_, _ = q.Put("in an hour", time.Hour)
	_, _ = q.Put("now", 0)

	for at, e := range q.All() {
		fmt.Println(e, !at.After(time.Now()))
	}
	// Output:
	// now true
	// in an hour false
	// tomorrow false
}

func ExampleItem_Peek() {
	q := delayqueue.New[string]()
	defer q.Close()

	item, _ := q.Put("invoice", time.Hour)
	e, at, waits := item.Peek()
	fmt.Println(e, time.Until(at).Round(time.Minute), waits)
	item.Remove()
	_, _, waits = item.Peek()
	fmt.Println(waits)
	// Output:
	// invoice 1h0m0s true
	// false
}

func ExampleQueue_Due() {
	q := delayqueue.New[string]()
	defer q.Close()

	_, _ = q.Put("now", 0)
	_, _ = q.Put("later", time.Hour)
	fmt.Println(q.Due(), "of", q.Len())
	// Output: 1 of 2
}

// A lease is put back for as long as it is renewed; what can be taken has expired.
func ExampleNew() {
	leases := delayqueue.New[string]()
	defer leases.Close()
	_, _ = leases.Put("10.0.0.7", time.Millisecond)
	lease, _ := leases.Put("10.0.0.8", 2*time.Millisecond)
	lease.Reset(time.Hour) // renewed

	expired, _ := leases.Take(context.Background()) // waits until one is due
	fmt.Println(expired, "has expired,", leases.Len(), "is left")
	// Output: 10.0.0.7 has expired, 1 is left
}

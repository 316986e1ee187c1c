// Registryclient is the client of a service registry, as Eureka and SOFARegistry have one: it
// renews its lease, keeps a copy of the registry, and does the right thing with each when the
// registry hangs.
package main

import (
	"context"
	"fmt"
	"log"
	"time"
)

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	registry := newMemory()
	a, b := NewClient(registry, "orders-1"), NewClient(registry, "orders-2")
	time.Sleep(200 * time.Millisecond)
	a.Changed()
	time.Sleep(200 * time.Millisecond)
	show("both are there", a)

	for _, s := range []fmt.Stringer{a.renew, a.fetch} {
		fmt.Println(" ", s)
	}
	fmt.Printf("  between two heartbeats pass at most %v, and the lease lasts for %v\n", a.renew.Stats().WorstGap, Lease)

	if err := b.Close(ctx); err != nil {
		log.Fatal(err) //nolint:gocritic // the process ends
	}
	a.Changed()
	time.Sleep(200 * time.Millisecond)
	show("the second has gone", a)
	if err := a.Close(ctx); err != nil {
		log.Fatal(err)
	}
}

func show(what string, c *Client) {
	instances, age := c.Instances()
	fmt.Printf("%s: %v, known since %v\n", what, instances, age.Round(100*time.Millisecond))
}

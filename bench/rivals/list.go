package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/punctual-go/punctual/bench/rivals/workload"
)

// list prints what -workloads and -systems may name.
func list(out io.Writer, workloads []workload.Workload, contenders []contender) {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "Workloads:")
	for _, w := range workloads {
		fmt.Fprintf(t, "  %s\t%s\n", w.Name, w.Title)
	}
	fmt.Fprintln(t, "\nSystems:")
	for _, c := range contenders {
		fmt.Fprintf(t, "  %s\t%s\n", c.name, c.title)
	}
	_ = t.Flush() // to the same place as its errors would go
}

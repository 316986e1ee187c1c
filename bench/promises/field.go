package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"golang.org/x/sync/errgroup"
)

// field is all systems that take part.
type field struct {
	contenders []contender
	notices    []string // why others do not
	closers    []func() error
}

// findField finds the systems in Go, and those in Java of the JDKs that are here.
func findField() (*field, error) {
	all, err := goContenders()
	if err != nil {
		return nil, err
	}
	f := &field{contenders: slices.Clone(all[:1])}
	for _, version := range []int{17, 25} {
		j, err := newJava(version)
		switch {
		case errors.Is(err, errNoJDK):
			notice := fmt.Sprintf("The systems of Java %d are left out: %v.", version, err)
			f.notices = append(f.notices, notice)
		case err != nil:
			f.close()
			return nil, err
		default:
			f.closers = append(f.closers, j.close)
			f.contenders = append(f.contenders, j.contenders()...)
		}
	}
	f.contenders = append(f.contenders, all[1:]...)
	return f, nil
}

// close removes what was made for the systems.
func (f *field) close() {
	for _, c := range f.closers {
		_ = c() // of temporary files
	}
}

// choose leaves those that are named in a list.
func (f *field) choose(list string) error {
	if list == "" {
		return nil
	}
	var chosen []contender
	for name := range strings.SplitSeq(list, ",") {
		i := slices.IndexFunc(f.contenders, func(c contender) bool { return c.name == name })
		if i < 0 {
			return fmt.Errorf("there is no system %q", name)
		}
		chosen = append(chosen, f.contenders[i])
	}
	f.contenders = chosen
	return nil
}

// ask asks each system for each promise: two at a time, as they mostly wait.
func (f *field) ask(ctx context.Context, all []promise) (matrix, error) {
	m := newMatrix(f.names(), all)
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(2)
	for row, p := range all {
		for column, c := range f.contenders {
			group.Go(func() error {
				m.cells[row][column] = c.keep(ctx, p)
				return ctx.Err()
			})
		}
	}
	return m, group.Wait()
}

func (f *field) names() []string {
	var names []string
	for _, c := range f.contenders {
		names = append(names, c.name)
	}
	return names
}

// describe says how each system is used.
func (f *field) describe(out io.Writer) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, c := range f.contenders {
		fmt.Fprintf(t, "%s\t%s\n", c.name, c.about)
	}
	return t.Flush()
}

// trace writes what happened when each system played the program of one promise.
func (f *field) trace(ctx context.Context, name string, out io.Writer) error {
	all := promises()
	i := slices.IndexFunc(all, func(p promise) bool { return p.name == name })
	if i < 0 {
		return fmt.Errorf("there is no promise %q", name)
	}
	for _, c := range f.contenders {
		j, died := c.play(ctx, all[i])
		v := all[i].verdict(j, c.says, died)
		fmt.Fprintln(out, c.name, v.kind, v.seen)
		for _, e := range j {
			fmt.Fprintln(out, e)
		}
	}
	return nil
}

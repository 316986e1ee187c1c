package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// A bench is one run of the command.
type bench struct {
	workloads []workload
	systems   []system
	rounds    int
	sizes     sizes
	progress  io.Writer
	dir       string
}

// run measures and writes tables. What fails leaves a gap and is told at the end.
func (b *bench) run(ctx context.Context, out io.Writer) (err error) {
	if b.dir, err = openDir(""); err != nil {
		return err
	}
	defer os.RemoveAll(b.dir) //nolint:errcheck // it is a temporary one
	b.introduce(out)
	var failed []error
	for _, w := range b.workloads {
		t, err := b.measure(ctx, w)
		failed = append(failed, err)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if len(t.systems) > 0 {
			t.write(out)
		} else if w.needs != nil && w.needs() != "" {
			fmt.Fprintf(out, "### %s\n\nLEFT OUT: %s\n\n", w.title, w.needs())
		}
	}
	return errors.Join(failed...)
}

// introduce tells the machine and the settings, and who cannot take part.
func (b *bench) introduce(out io.Writer) {
	fmt.Fprintf(out, "%s\n\n%s\n\nMedians of %d rounds; in brackets, how many times the figure of "+
		"the first row it is.\n\n", machine(b.dir), versions(), b.rounds)
	var here []system
	for _, s := range b.systems {
		fmt.Fprintf(out, "* `%s`: %s", s.name, s.about)
		if why := s.missing(); why != "" {
			fmt.Fprintf(out, ". LEFT OUT: %s", why)
		} else {
			here = append(here, s)
		}
		fmt.Fprintln(out)
	}
	fmt.Fprintf(out, "\nUnless a table says otherwise, each submits and works in one process, with "+
		"%d workers, and acknowledges after the disk has the data.\n\n", b.sizes.workers)
	b.systems = here
}

// measure lets all systems take a workload by turns.
func (b *bench) measure(ctx context.Context, w workload) (table, error) {
	t := table{workload: w, rounds: map[string][][]float64{}}
	if w.needs != nil && w.needs() != "" {
		fmt.Fprintf(b.progress, "%s: left out: %s\n", w.name, w.needs())
		return t, nil
	}
	var fit []system
	for _, s := range b.systems {
		if w.fits(s) {
			fit = append(fit, s)
			t.systems = append(t.systems, s.name)
		}
	}
	var failed []error
	for round := range b.rounds {
		if round > 0 && w.once {
			break
		}
		for i := range fit {
			s := fit[(i+round)%len(fit)] // so that nobody always comes after the same
			figures, err := b.try(ctx, w, s)
			if ctx.Err() != nil {
				return t, context.Cause(ctx)
			}
			if err != nil {
				err = fmt.Errorf("%s, %s, round %d: %w", w.name, s.name, round+1, err)
				fmt.Fprintln(b.progress, err)
				failed = append(failed, err)
				continue
			}
			b.tell(w, s, round, figures)
			t.rounds[s.name] = append(t.rounds[s.name], figures)
		}
	}
	return t, errors.Join(failed...)
}

func (b *bench) try(ctx context.Context, w workload, s system) ([]float64, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	dir, err := openDir(b.dir)
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // it is a temporary one
	t := &trial{system: s, sizes: b.sizes, site: &site{
		dir: dir, shelf: b.dir, workers: b.sizes.workers,
	}}
	return w.measure(ctx, t)
}

func (b *bench) tell(w workload, s system, round int, figures []float64) {
	var list []string
	for i, c := range w.columns {
		list = append(list, figure(figures[i])+" "+c.title)
	}
	fmt.Fprintf(b.progress, "%s, round %d, %s: %s\n", w.name, round+1, s.name,
		strings.Join(list, "; "))
}

// openDir makes a temporary directory through which the user of a server can pass.
func openDir(parent string) (string, error) {
	dir, err := os.MkdirTemp(parent, "bench")
	if err != nil {
		return "", err
	}
	return dir, os.Chmod(dir, 0o711)
}

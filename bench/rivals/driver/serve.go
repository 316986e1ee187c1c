package driver

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"time"

	"github.com/panjf2000/ants/v2"

	"github.com/punctual-go/punctual/bench/rivals/workload"
)

// patience is how long a round may take before what has not run counts as lost.
const patience = 5 * time.Minute

// Serve does the work of one kind on one system: once to warm up, upon which it writes the line
// "ready", and then once for each line "go" of in, until that ends. To each it answers with a line
// of JSON: an object of figures, or of one "error". A round that is looked at from outside writes
// the line "idle" when that may begin. It returns an error if system, kind or sizes are wrong, or
// when ctx ends.
func Serve(ctx context.Context, system, kind string, sizes workload.Params, in io.Reader, out io.Writer) error {
	s, k, err := find(system, kind)
	if err != nil {
		return err
	}
	if err := k.check(sizes); err != nil {
		return err
	}
	ants.Release() // the default pool of that package, which ticks in every process that imports it
	w := work{System: s, sizes: sizes}
	_, _ = w.round(ctx, k) // what fails here fails again
	if err := say(out, "ready"); err != nil {
		return err
	}
	w.quiet = func() { _ = say(out, "idle") } // a writer that fails does so with the answer, too
	for lines := bufio.NewScanner(in); lines.Scan(); {
		if lines.Text() != "go" {
			return fmt.Errorf("unknown request %.100q", lines.Text())
		}
		figures, failure := w.round(ctx, k)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := answer(out, figures, failure); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// find returns the system and the kind of the given names.
func find(system, name string) (System, kind, error) {
	all := Systems()
	i := slices.IndexFunc(all, func(s System) bool { return s.Name == system })
	if i < 0 {
		return System{}, kind{}, fmt.Errorf("there is no system %q", system)
	}
	for _, k := range kinds() {
		if k.name != name {
			continue
		}
		if !all[i].does(k) {
			return System{}, kind{}, fmt.Errorf("%s cannot do %s", system, name)
		}
		return all[i], k, nil
	}
	return System{}, kind{}, fmt.Errorf("there is no kind %q", name)
}

// check returns an error if the sizes are not those of the kind.
func (k kind) check(sizes workload.Params) error {
	var err error
	for _, name := range k.sizes {
		if n, ok := sizes[name]; !ok || n <= 0 {
			err = errors.Join(err, fmt.Errorf("%s needs a positive %s", k.name, name))
		}
	}
	for _, name := range k.waits {
		if n, ok := sizes[name]; !ok || n < 0 {
			err = errors.Join(err, fmt.Errorf("%s needs %s", k.name, name))
		}
	}
	return err
}

// round does the work once, and gives its memory back.
func (w work) round(ctx context.Context, k kind) (workload.Figures, error) {
	if err := w.refuse(k, w.sizes); err != nil {
		return nil, err
	}
	var cancel context.CancelFunc
	w.Context, cancel = context.WithTimeout(ctx, patience)
	defer debug.FreeOSMemory()
	defer cancel()
	return k.round(w)
}

func answer(out io.Writer, figures workload.Figures, failure error) error {
	var value any = figures
	if failure != nil {
		value = map[string]string{"error": failure.Error()}
	}
	line, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return say(out, string(line))
}

func say(out io.Writer, line string) error {
	_, err := io.WriteString(out, line+"\n")
	return err
}

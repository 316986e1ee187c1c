package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"
)

// tour is one run of the command.
type tour struct {
	options
	scenario
	out   *bufio.Writer // keeps the first error until it is flushed
	err   io.Writer
	width int
	paint func(string) string // colours a timeline
}

func newTour(o options, stdout, stderr io.Writer) *tour {
	return &tour{
		options:  o,
		scenario: newScenario(o.length),
		out:      bufio.NewWriter(stdout),
		err:      stderr,
		width:    columns(stdout),
		paint:    painter(stdout),
	}
}

// run does everything in order, beside the page if that is wanted, which stays when the tour is
// over.
func (t *tour) run(ctx context.Context) error {
	if !t.open {
		return t.walk(ctx)
	}
	g, err := newGallery(ctx)
	if err != nil {
		return err
	}
	err = t.say("A small service, live: " + g.url + "\n\n")
	if err == nil {
		err = t.walk(ctx)
	}
	if err == nil {
		err = t.say("The page stays at " + g.url + " until Ctrl-C.\n")
		<-ctx.Done()
	}
	return errors.Join(err, g.close())
}

// walk shows everything in order. A picture that cannot be written does not keep the rest from
// being shown.
func (t *tour) walk(ctx context.Context) error {
	if err := t.say(introduction(t.scenario, contenders())); err != nil {
		return err
	}
	systems, err := t.compare(ctx)
	if err != nil {
		return err
	}
	r := newReport(t.scenario, systems)
	path, pictureErr := writePicture(t.dir, t.scenario, systems)
	if pictureErr != nil {
		pictureErr = fmt.Errorf("the picture could not be written: %w", pictureErr)
		r.PictureError = pictureErr.Error()
	}
	r.Picture = path
	if err := t.say(t.comparisonText(r)); err != nil {
		return err
	}
	if r.Ordeal, err = t.ordeal(ctx); err != nil {
		return errors.Join(pictureErr, err)
	}
	if r.Showcase, err = t.showcase(ctx); err != nil {
		return errors.Join(pictureErr, err)
	}
	return errors.Join(pictureErr, t.finish(r), asPromised(slices.Concat(r.Ordeal.Steps, r.Showcase)))
}

// say prints at once, unless JSON is wanted.
func (t *tour) say(text string) error {
	if t.json {
		return nil
	}
	t.out.WriteString(text)
	return t.out.Flush()
}

func (t *tour) compare(ctx context.Context) ([]system, error) {
	cs := contenders()
	names := make([]string, len(cs))
	for i, c := range cs {
		names[i] = c.short
	}
	p := newProgress(t.err, t.window(), names)
	defer p.end()
	return compare(ctx, t.scenario, cs, p.at)
}

func (t *tour) ordeal(ctx context.Context) (*ordeal, error) {
	if err := t.say(ordealTitle); err != nil {
		return nil, err
	}
	o, err := undergo(ctx)
	if err != nil {
		return nil, err
	}
	return o, t.say(t.paint(o.text(t.width)))
}

func (t *tour) showcase(ctx context.Context) ([]step, error) {
	if err := t.say(showcaseTitle); err != nil {
		return nil, err
	}
	var steps []step
	err := showcase(ctx, func(s step) error {
		steps = append(steps, s)
		return t.say(s.line())
	})
	return steps, err
}

func (t *tour) finish(r *report) error {
	if !t.json {
		return t.say("\nNext: the package documentation, go doc ./executor\n")
	}
	if err := r.write(t.out); err != nil {
		return err
	}
	return t.out.Flush()
}

func introduction(sc scenario, cs []contender) string {
	text := fmt.Sprintf("One job, every %v for %v, on five systems at the same time. A run takes %v; run %d stalls\n"+
		"for %v. What does each system do about the periods missed meanwhile?\n\n",
		sc.period, sc.length, sc.work, sc.stalled, sc.stall)
	for _, c := range cs {
		text += fmt.Sprintf("  %-20s  %s\n", c.name, c.about)
	}
	return text + "\n"
}

func (t *tour) comparisonText(r *report) string {
	text := "When the runs began:\n\n" + t.paint(drawTimeline(t.scenario, r.Systems, t.width)) + "\n"
	if r.Picture != "" {
		text += "The same as a picture: " + r.Picture + "\n\n"
	}
	return text + "In figures:\n\n" + drawTable(r.Systems) + "\n"
}

// roughly rounds for the eye.
func roughly(d time.Duration) time.Duration { return d.Round(time.Millisecond) }

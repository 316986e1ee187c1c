// Package tool is the command punctual.
package tool

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"

	"github.com/alecthomas/kong"

	"github.com/punctual-go/punctual/cluster/cmd/punctual/internal/move"
)

// cli is the command line.
type cli struct {
	connection `embed:""`
	Pool       string `short:"p" env:"PUNCTUAL_POOL" default:"tasks" help:"The name of the pool."`
	JSON       bool   `name:"json" help:"Write JSON instead of tables."`

	Version kong.VersionFlag `help:"Write the version, and exit."`

	List    listCommand    `cmd:"" help:"List what the pool has."`
	Show    showCommand    `cmd:"" help:"Show all that is known of one task or series."`
	Pause   pauseCommand   `cmd:"" help:"Hold a series, until it is resumed."`
	Resume  resumeCommand  `cmd:"" help:"Let a series that is paused go on."`
	Trigger triggerCommand `cmd:"" help:"Have a series run once more, now."`
	Cancel  cancelCommand  `cmd:"" help:"Cancel tasks, or end a series."`
	Redrive redriveCommand `cmd:"" help:"Run failed tasks again."`
	Discard discardCommand `cmd:"" help:"Forget failed tasks."`
	Move    moveCommand    `cmd:"" help:"Move the pool to other servers."`
}

// Run does what the words of a command line say, and returns the code with which to exit.
func Run(ctx context.Context, args []string, out, errs io.Writer) int {
	var c cli
	helped := false
	parser, err := kong.New(&c, kong.Name("punctual"), kong.Writers(out, errs),
		kong.Description("Shows what pools of package cluster have, and acts on them."),
		kong.Vars{"version": version()}, kong.UsageOnError(), kong.Exit(func(int) { helped = true }))
	if err != nil {
		fmt.Fprintln(errs, "punctual:", err)
		return exitFailed
	}
	line, err := parser.Parse(args)
	switch {
	case helped:
		return exitDone
	case err != nil:
		fmt.Fprintln(errs, "punctual:", err)
		return exitWrongUse
	}
	t := &tool{cli: &c, out: out, errs: errs}
	line.BindTo(ctx, (*context.Context)(nil))
	if err := line.Run(t); err != nil {
		fmt.Fprintln(errs, "punctual:", cleaned(err.Error(), longestError))
		return exitCode(err)
	}
	return exitDone
}

// version is that of the module, as go install has stored it in the program.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	return fmt.Sprint("punctual ", info.Main.Version, ", ", info.GoVersion)
}

// tool is what the commands have in common.
type tool struct {
	*cli
	out, errs io.Writer
}

type moveCommand struct{ move.Command }

func (c *moveCommand) Run(ctx context.Context, t *tool) error {
	if t.JSON {
		return fmt.Errorf("%w: a move is told in words, without --json", errWrongUse)
	}
	return c.Do(ctx, t.Pool, t.out)
}

var errWrongUse = errors.New("wrong use")

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/punctual-go/punctual/bench/rivals/driver"
	"github.com/punctual-go/punctual/bench/rivals/workload"
)

// driveVerb makes this program the driver of a system in Go: "rivals drive system kind size=number
// ...".
const driveVerb = "drive"

func drive(ctx context.Context, args []string, in io.Reader, out io.Writer) error {
	if len(args) < 2 {
		return errors.New("drive needs a system, a kind, and sizes like n=1000")
	}
	params := workload.Params{}
	for _, a := range args[2:] {
		name, value, _ := strings.Cut(a, "=")
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil || name == "" {
			return fmt.Errorf("%q is no size: they look like n=1000", a)
		}
		params[name] = n
	}
	return driver.Serve(ctx, args[0], args[1], params, in, out)
}

// arguments are those of drive.
func arguments(system, kind string, params workload.Params) []string {
	args := []string{driveVerb, system, kind}
	for name, value := range params {
		args = append(args, fmt.Sprintf("%s=%d", name, value))
	}
	return args
}

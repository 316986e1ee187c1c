package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/punctual-go/punctual/bench/rivals/driver"
	"github.com/punctual-go/punctual/bench/rivals/jvm"
	"github.com/punctual-go/punctual/bench/rivals/workload"
)

// findField returns the systems in Go, those of an earlier build if there is one, and those in Java
// if there is any.
func findField(java, before string) (*field, error) {
	f := &field{}
	if err := f.addGo(); err != nil {
		return nil, err
	}
	if before != "" {
		if err := f.addBefore(before); err != nil {
			return nil, err
		}
	}
	if java == "off" {
		return f, nil
	}
	switch err := f.addJava(java); {
	case errors.Is(err, jvm.ErrNone) && java == "auto":
		f.notice("the systems in Java are left out: %v", err)
	case err != nil:
		f.close()
		return nil, fmt.Errorf("%w\n-java off leaves the systems in Java out", err)
	}
	switch err := f.addJava25(); {
	case errors.Is(err, jvm.ErrNone):
		f.notice("jdk25-stpe and jdk25-forkjoin are left out: %v", err)
	case err != nil:
		f.close()
		return nil, fmt.Errorf("%w\n-java off leaves the systems in Java out", err)
	}
	return f, nil
}

// addGo adds the systems whose driver is this program itself.
func (f *field) addGo() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	for _, s := range driver.Systems() {
		f.contenders = append(f.contenders, contender{
			s.Name, s.Title + ": " + s.About, s.Kinds(),
			func(ctx context.Context, kind string, params workload.Params) *exec.Cmd {
				return exec.CommandContext(ctx, self, arguments(s.Name, kind, params)...)
			},
		})
	}
	return nil
}

// addBefore adds the systems of this module as they were when another build of this command was
// made, each behind its successor. So what a change costs can be told from what the machine does
// meanwhile.
func (f *field) addBefore(build string) error {
	path, err := exec.LookPath(build)
	if err != nil {
		return fmt.Errorf("-before %s: %w", build, err)
	}
	if path, err = filepath.Abs(path); err != nil {
		return err
	}
	for _, name := range driver.Own() {
		i := slices.IndexFunc(f.contenders, func(c contender) bool { return c.name == name })
		now := f.contenders[i]
		f.contenders = slices.Insert(f.contenders, i+1, contender{
			name + "-before", now.title + "; before", now.kinds,
			func(ctx context.Context, kind string, params workload.Params) *exec.Cmd {
				return exec.CommandContext(ctx, path, arguments(name, kind, params)...)
			},
		})
	}
	return nil
}

func (f *field) addJava(java string) error {
	j, err := jvm.Find(java)
	if err != nil {
		return err
	}
	f.addJVM(j, j.Systems())
	f.java, f.netty = j.Version(), j.NettyVersion()
	if f.netty == "" {
		f.notice("Netty is left out: its jars are not there")
	}
	return nil
}

func (f *field) addJava25() error {
	j, err := jvm.Find25()
	if err != nil {
		return err
	}
	f.addJVM(j, j.Systems25())
	f.java25 = j.Version()
	return nil
}

// addJVM adds systems that run on a virtual machine.
func (f *field) addJVM(j *jvm.JVM, systems []jvm.System) {
	f.open = append(f.open, j)
	for _, s := range systems {
		f.contenders = append(f.contenders, contender{
			s.Name, s.Title, s.Kinds(),
			func(ctx context.Context, kind string, params workload.Params) *exec.Cmd {
				return j.Command(ctx, s.Name, kind, params)
			},
		})
	}
}

func (f *field) notice(format string, args ...any) {
	f.notices = append(f.notices, fmt.Sprintf(format, args...))
}

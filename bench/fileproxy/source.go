package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/zip"
)

// source is a module as it is in a repository.
type source struct {
	path  string
	mod   []byte     // its go.mod
	files []zip.File // those of modules inside of it as well, which the zip leaves out
}

// tracked returns the files that git knows in a repository, by slash-separated paths.
func tracked(repository string) ([]string, error) {
	list := exec.Command("git", "ls-files", "-z")
	list.Dir = repository
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("git ls-files in %s: %w", repository, err)
	}
	return strings.FieldsFunc(string(out), func(r rune) bool { return r == 0 }), nil
}

// modulesIn returns the modules of a repository, but not those of testdata.
func modulesIn(repository string, files []string) (all []*source, err error) {
	for _, name := range files {
		if path.Base(name) != "go.mod" || strings.Contains(name, "testdata/") {
			continue
		}
		mod, err := os.ReadFile(filepath.Join(repository, name))
		if err != nil {
			return nil, err
		}
		m := &source{path: modfile.ModulePath(mod), mod: mod}
		prefix := strings.TrimSuffix(name, "go.mod")
		for _, other := range files {
			if inside, ok := strings.CutPrefix(other, prefix); ok {
				m.files = append(m.files, file{inside, filepath.Join(repository, other)})
			}
		}
		all = append(all, m)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("no go.mod in %s", repository)
	}
	return all, nil
}

// file is a file of a module: its path there, and where it is.
type file struct{ inside, name string }

func (f file) Path() string                 { return f.inside }
func (f file) Lstat() (os.FileInfo, error)  { return os.Lstat(f.name) }
func (f file) Open() (io.ReadCloser, error) { return os.Open(f.name) }

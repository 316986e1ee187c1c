package bars

import (
	"fmt"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// filesIn counts the files of one package.
func filesIn(pkg string) func(*house) (figure, error) {
	return func(h *house) (figure, error) {
		for _, p := range h.rooms {
			if p.PkgPath == h.path()+"/"+pkg {
				return figure{value: len(p.Syntax)}, nil
			}
		}
		return figure{}, fmt.Errorf("there is no package %s: %w", pkg, errNothing)
	}
}

// hundredsOfCode counts the lines below a folder that have code, not only comments or nothing, in
// hundreds, rounded up: a bar that moved with each line would be in the way of every change.
func hundredsOfCode(folder string) func(*house) (figure, error) {
	return func(h *house) (figure, error) {
		sum, by := 0, map[string]int{}
		err := eachSource(filepath.Join(h.dir, folder), func(name string, source []byte) {
			n := linesOfCode(source)
			sum += n
			by[path.Dir(name)] += n
		})
		if err == nil && sum == 0 {
			err = errNothing
		}
		f := figure{value: (sum + 99) / 100}
		f.parts = append(f.parts, fmt.Sprintf("lines: %d", sum))
		f.parts = append(f.parts, byCount(by)...)
		return f, err
	}
}

// eachSource calls f with the files below a folder, for all systems, but for tests and packages of
// helpers for tests, whose names end in "test".
func eachSource(folder string, f func(name string, source []byte)) error {
	return fs.WalkDir(os.DirFS(folder), ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && (e.Name() == "testdata" || strings.HasSuffix(e.Name(), "test")):
			return fs.SkipDir
		case e.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		source, err := os.ReadFile(filepath.Join(folder, name))
		if err == nil {
			f(name, source)
		}
		return err
	})
}

// linesOfCode counts the lines on which there is a token.
func linesOfCode(source []byte) (n int) {
	files := token.NewFileSet()
	file := files.AddFile("", -1, len(source))
	var s scanner.Scanner
	s.Init(file, source, nil, 0)
	for last := 0; ; {
		pos, tok, text := s.Scan()
		if tok == token.EOF {
			return n
		}
		if tok == token.SEMICOLON && text == "\n" {
			continue
		}
		first := file.Line(pos)
		end := first + strings.Count(text, "\n") // a raw string has several
		n += end - max(first-1, last)
		last = end
	}
}

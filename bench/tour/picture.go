package main

import (
	"bytes"
	"os"
	"path/filepath"
)

const pictureName = "tour.svg"

// writePicture draws the picture into dir, which it makes if need be, and returns its full path.
//
// It writes a file of a fresh name first and renames it: the directory may be one that everybody
// writes to, where the name may be a link that somebody else has laid.
func writePicture(dir string, sc scenario, systems []system) (path string, err error) {
	if dir, err = filepath.Abs(dir); err != nil {
		return "", err
	}
	var svg bytes.Buffer
	if err := drawPlot(&svg, sc, systems); err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	f, err := os.CreateTemp(dir, pictureName+".*")
	if err != nil {
		return "", err
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	if err := fill(f, svg.Bytes()); err != nil {
		return "", err
	}
	path = filepath.Join(dir, pictureName)
	return path, os.Rename(f.Name(), path)
}

func fill(f *os.File, data []byte) error {
	_, err := f.Write(data)
	if e := f.Chmod(0o644); err == nil {
		err = e
	}
	if e := f.Close(); err == nil {
		err = e
	}
	return err
}

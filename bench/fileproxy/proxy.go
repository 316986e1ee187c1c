package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// write adds all modules of the repository in from to the proxy in to.
func write(from, to, version string) error {
	files, err := tracked(from)
	if err != nil {
		return err
	}
	modules, err := modulesIn(from, files)
	if err != nil {
		return err
	}
	for _, m := range modules {
		if err := m.publish(to, version); err != nil {
			return fmt.Errorf("%s: %w", m.path, err)
		}
	}
	return nil
}

// publish writes the four files of a version: its entry in the list, the time, go.mod and the zip.
func (m *source) publish(to, version string) error {
	id := module.Version{Path: m.path, Version: version}
	escaped, err := module.EscapePath(m.path)
	if err != nil {
		return err
	}
	dir := filepath.Join(to, filepath.FromSlash(escaped), "@v")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	info, err := json.Marshal(struct {
		Version string
		Time    time.Time
	}{version, time.Now().UTC()})
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, version+".info"), info, 0o644); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, version+".mod"), m.mod, 0o644); err != nil {
		return err
	}
	if err := m.pack(filepath.Join(dir, version+".zip"), id); err != nil {
		return err
	}
	return enlist(filepath.Join(dir, "list"), version)
}

func (m *source) pack(name string, id module.Version) error {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	if err := zip.Create(file, id, m.files); err != nil {
		_ = file.Close()
		return err
	}
	return file.Close()
}

func enlist(name, version string) error {
	file, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(file, version)
	if closed := file.Close(); err == nil {
		err = closed
	}
	return err
}

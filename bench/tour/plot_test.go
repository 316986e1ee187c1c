package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// words returns the text of an SVG, and fails the test if it is not XML.
func words(t *testing.T, svg io.Reader) string {
	t.Helper()
	var text strings.Builder
	for d := xml.NewDecoder(svg); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return text.String()
		}
		if err != nil {
			t.Fatal(err)
		}
		if data, ok := token.(xml.CharData); ok {
			text.Write(data)
		}
	}
}

func TestPictureHasNamesAxisAndLegend(t *testing.T) {
	sc, systems := compared(t)
	dir := filepath.Join(t.TempDir(), "made", "if", "missing")
	path, err := writePicture(dir, sc, systems)
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text := words(t, bytes.NewReader(data))
	wanted := []string{"seconds since the start", "a run begins", "a period late or more",
		"the run that stalls", "the clock: every period", "One job every 50ms"}
	for _, s := range systems {
		wanted = append(wanted, s.Name)
	}
	for _, w := range wanted {
		if !strings.Contains(text, w) {
			t.Errorf("the picture does not say %q", w)
		}
	}
}

func TestPictureIsWrittenOverAnOlderOneAndNothingElseIsLeft(t *testing.T) {
	dir := t.TempDir()
	for range 2 {
		if _, err := writePicture(dir, newScenario(minFor), noRuns(minFor)); err != nil {
			t.Fatal(err)
		}
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != 1 || files[0].Name() != pictureName {
		t.Errorf("directory holds %v, want only %s", files, pictureName)
	}
}

func TestPictureLeavesNothingBehindWhenItCannotBeWritten(t *testing.T) {
	dir := t.TempDir()
	taken := filepath.Join(dir, pictureName)
	if err := os.MkdirAll(filepath.Join(taken, "in the way"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := writePicture(dir, newScenario(minFor), noRuns(minFor)); err == nil {
		t.Error("no error though a directory has the name of the picture")
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != 1 {
		t.Errorf("directory holds %v, want only what was there", files)
	}
}

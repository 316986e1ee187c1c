package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// noJDK hides the JDKs of this machine.
func noJDK(t *testing.T) {
	t.Helper()
	folders := jdkFolders
	jdkFolders = nil
	t.Cleanup(func() { jdkFolders = folders })
	for _, name := range []string{"JAVA_HOME", "JAVA17_HOME", "JAVA25_HOME", "PATH"} {
		t.Setenv(name, "")
	}
}

// fakeJDK makes a folder look like a JDK.
func fakeJDK(t *testing.T, home, version string) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("what can be run has another name")
	}
	bin := filepath.Join(home, "bin")
	err := os.MkdirAll(bin, 0o755)
	for _, name := range []string{"java", "javac"} {
		if err == nil {
			err = os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"), 0o755)
		}
	}
	if err == nil {
		text := fmt.Sprintf("IMPLEMENTOR=\"a test\"\nJAVA_VERSION=%q\n", version)
		err = os.WriteFile(filepath.Join(home, "release"), []byte(text), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	return home
}

func TestJDKThatIsNamedIsTaken(t *testing.T) {
	noJDK(t)
	home := fakeJDK(t, t.TempDir(), "25.0.3")
	t.Setenv("JAVA25_HOME", home)
	t.Setenv("JAVA_HOME", fakeJDK(t, t.TempDir(), "25.0.1"))
	if got, err := findJDK(25); err != nil || got != home {
		t.Error(got, err)
	}
}

func TestJDKThatIsNamedMustBeOfItsVersion(t *testing.T) {
	noJDK(t)
	for _, home := range []string{fakeJDK(t, t.TempDir(), "21"), t.TempDir()} {
		t.Setenv("JAVA25_HOME", home)
		_, err := findJDK(25)
		if err == nil || errors.Is(err, errNoJDK) || !strings.Contains(err.Error(), "JAVA25_HOME") {
			t.Error(err)
		}
	}
}

func TestJDKIsFoundByItsReleaseBesideAnother(t *testing.T) {
	noJDK(t)
	folder := t.TempDir()
	older := fakeJDK(t, filepath.Join(folder, "older"), "17.0.15")
	newer := fakeJDK(t, filepath.Join(folder, "newer.jdk", "Contents", "Home"), "25")
	t.Setenv("JAVA_HOME", older)
	for version, want := range map[int]string{17: older, 25: newer} {
		if got, err := findJDK(version); err != nil || got != want {
			t.Error(version, got, err)
		}
	}
	if got, err := findJDK(21); !errors.Is(err, errNoJDK) {
		t.Error(got, err)
	}
}

func TestJDKIsFoundByPath(t *testing.T) {
	noJDK(t)
	home := fakeJDK(t, filepath.Join(t.TempDir(), "jdk"), "25.0.3")
	if resolved, err := filepath.EvalSymlinks(home); err == nil {
		home = resolved
	}
	t.Setenv("PATH", filepath.Join(home, "bin"))
	if got, err := findJDK(25); err != nil || got != home {
		t.Error(got, err)
	}
}

func TestFolderWithoutACompilerIsNoJDK(t *testing.T) {
	home := fakeJDK(t, t.TempDir(), "25.0.3")
	if err := os.Remove(filepath.Join(home, "bin", "javac")); err != nil {
		t.Fatal(err)
	}
	if n := versionOf(home); n != 0 {
		t.Error(n)
	}
}

package jvm_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/punctual-go/punctual/bench/rivals/jvm"
)

// install makes a folder that looks like a JDK of that version, and returns it.
func install(t *testing.T, version string, programs ...string) string {
	t.Helper()
	home := t.TempDir()
	if err := os.Mkdir(filepath.Join(home, "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	files := map[string]string{"release": "IMPLEMENTOR=\"a test\"\nJAVA_VERSION=\"" + version + "\"\n"}
	for _, p := range programs {
		files[filepath.Join("bin", p)] = "#!/bin/sh\nexit 1\n"
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(home, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return home
}

func TestJDK25IsToldByItsReleaseAndMustBeComplete(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("what can be run has another name")
	}
	t.Setenv("JAVA_HOME", "")
	for _, tt := range []struct {
		home string
		ok   bool
	}{
		{install(t, "25.0.3", "java", "javac"), true},
		{install(t, "25", "java", "javac"), true},
		{install(t, "17.0.25", "java", "javac"), false},
		{install(t, "25.0.3", "java"), false},
		{t.TempDir(), false},
	} {
		java, err := jvm.Locate25In(tt.home)
		if tt.ok && (err != nil || java != filepath.Join(tt.home, "bin", "java")) {
			t.Errorf("%q, %v", java, err)
		}
		if !tt.ok && (!errors.Is(err, jvm.ErrNone) || strings.Contains(err.Error(), "\n")) {
			t.Errorf("%q, %v", java, err)
		}
		t.Setenv("JAVA25_HOME", tt.home)
		if _, err := jvm.Find25(); err == nil || errors.Is(err, jvm.ErrNone) {
			t.Errorf("one that was named and does not work: %v", err)
		}
	}
}

func TestJDK25IsFoundWhereJavaIsIfThatIsOne(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("what can be run has another name")
	}
	home := install(t, "25.0.1", "java", "javac")
	t.Setenv("JAVA_HOME", home)
	if java, err := jvm.Locate25In(t.TempDir()); err != nil || java != filepath.Join(home, "bin", "java") {
		t.Errorf("%q, %v", java, err)
	}
}

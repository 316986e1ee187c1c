package main

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

var repository = map[string]string{
	"go.mod":               "module example.com/root\n\ngo 1.25.0\n",
	"root.go":              "package root\n",
	"nested/go.mod":        "module example.com/root/nested\n\ngo 1.25.0\n\nrequire example.com/root v1.2.3\n",
	"nested/nested.go":     "package nested\n\nimport _ \"example.com/root\"\n",
	"testdata/toy/go.mod":  "module toy\n",
	"nested/text/note.txt": "a note\n",
}

func run(t *testing.T, dir, name string, args ...string) []byte {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s", name, args, err, out)
	}
	return out
}

func repositoryOf(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run(t, dir, "git", "init", "-q")
	run(t, dir, "git", "add", ".")
	return dir
}

// downloaded returns the files of a module as the go command gets it from a proxy.
func downloaded(t *testing.T, proxy, module string) (files []string) {
	t.Helper()
	for name, value := range map[string]string{
		"GOPROXY": "file://" + proxy, "GONOSUMDB": "*", "GOFLAGS": "-modcacherw",
		"GOMODCACHE": t.TempDir(), "GOWORK": "off",
	} {
		t.Setenv(name, value)
	}
	var info struct{ Dir string }
	out := run(t, t.TempDir(), "go", "mod", "download", "-json", module)
	if err := json.Unmarshal(out, &info); err != nil {
		t.Fatal(err)
	}
	err := fs.WalkDir(os.DirFS(info.Dir), ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			files = append(files, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestTheGoCommandGetsEachModuleByItself(t *testing.T) {
	dir, proxy := repositoryOf(t, repository), t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "stray.go"), []byte("package root\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, version := range []string{"v1.2.3", "v1.2.4"} {
		if err := write(dir, proxy, version); err != nil {
			t.Fatal(err)
		}
	}
	for module, want := range map[string][]string{
		"example.com/root@v1.2.3":          {"go.mod", "root.go"},
		"example.com/root/nested@v1.2.3":   {"go.mod", "nested.go", "text/note.txt"},
		"example.com/root/nested@<=v1.2.9": {"go.mod", "nested.go", "text/note.txt"},
	} {
		if got := downloaded(t, proxy, module); !slices.Equal(got, want) {
			t.Errorf("%s has %q, want %q", module, got, want)
		}
	}
}

func TestAFolderWithoutModulesIsRefused(t *testing.T) {
	if err := write(repositoryOf(t, map[string]string{"note.txt": "a note\n"}), t.TempDir(), "v1.0.0"); err == nil {
		t.Error("no error")
	}
}

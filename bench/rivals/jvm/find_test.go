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

func TestJDKThatIsSwitchedOffIsNone(t *testing.T) {
	if _, err := jvm.Find("off"); !errors.Is(err, jvm.ErrNone) {
		t.Error(err)
	}
}

func TestMachineWithoutJDKHasNone(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	for _, home := range []string{"", t.TempDir()} {
		t.Setenv("JAVA_HOME", home)
		if _, err := jvm.Find("auto"); !errors.Is(err, jvm.ErrNone) {
			t.Error(err)
		}
	}
}

func TestJavaThatWasNamedMustBeThereWithItsCompiler(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("what can be run has another name")
	}
	lonely := filepath.Join(t.TempDir(), "java")
	if err := os.WriteFile(lonely, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for java, want := range map[string]string{
		filepath.Join(t.TempDir(), "java"): "no such file",
		lonely:                             "no javac",
	} {
		_, err := jvm.Find(java)
		if err == nil || errors.Is(err, jvm.ErrNone) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %q", java, err, want)
		}
	}
}

// The compiler is the one to which the java that was named leads, not what else lies beside the
// link; and a failure leaves nothing behind.
func TestCompilerThatFailsIsAnErrorThatSaysWhy(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no scripts")
	}
	kit, links, temp := t.TempDir(), t.TempDir(), t.TempDir()
	t.Setenv("TMPDIR", temp)
	for name, script := range map[string]string{
		filepath.Join(kit, "java"):    "#!/bin/sh\n",
		filepath.Join(kit, "javac"):   "#!/bin/sh\necho out of coffee >&2\nexit 1\n",
		filepath.Join(links, "javac"): "#!/bin/sh\necho the wrong one >&2\nexit 1\n",
	} {
		if err := os.WriteFile(name, []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(kit, "java"), filepath.Join(links, "java")); err != nil {
		t.Fatal(err)
	}
	if _, err := jvm.Find(filepath.Join(links, "java")); err == nil || !strings.Contains(err.Error(), "out of coffee") {
		t.Error(err)
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Error("left behind: ", left, err)
	}
}

func TestNettyMayBeLeftOut(t *testing.T) {
	need(t)
	t.Setenv("NETTY_JARS", "")
	j, err := jvm.Find("auto")
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	for _, s := range j.Systems() {
		if s.Name == "netty" {
			t.Error("netty is still there")
		}
	}
	if v := j.NettyVersion(); v != "" {
		t.Errorf("its version is %q", v)
	}
}

func TestNettyThatWasNamedMustBeThere(t *testing.T) {
	need(t)
	t.Setenv("NETTY_JARS", filepath.Join(t.TempDir(), "netty.jar"))
	if _, err := jvm.Find("auto"); err == nil || errors.Is(err, jvm.ErrNone) || !strings.Contains(err.Error(), "NETTY_JARS") {
		t.Error(err)
	}
}

func TestVersionsAreThoseOfWhatRuns(t *testing.T) {
	j := need(t)
	if !strings.Contains(j.Version(), "VM ") {
		t.Errorf("virtual machine %q", j.Version())
	}
	for _, s := range j.Systems() {
		if s.Name == "netty" && !strings.HasPrefix(j.NettyVersion(), "4.") {
			t.Errorf("Netty %q", j.NettyVersion())
		}
	}
}

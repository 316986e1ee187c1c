package jvm

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// Feature is the release whose systems are measured by themselves: since then a ForkJoinPool knows
// delays.
const Feature = "25"

// Find25 finds a JDK of that release and compiles the driver with it: that of JAVA25_HOME, which
// must be one if it is set; or else that of JAVA_HOME, if it is one; or else one in the folder in
// which the system has its virtual machines. Without any the error is [ErrNone].
func Find25() (*JVM, error) {
	k, err := locate25()
	if err != nil {
		return nil, err
	}
	return open(k, nil)
}

func locate25() (kit, error) {
	if home := os.Getenv("JAVA25_HOME"); home != "" {
		k, ok := ofHome(home)
		if !ok {
			return kit{}, fmt.Errorf("JAVA25_HOME: %s is no JDK %s", home, Feature)
		}
		return k, nil
	}
	return locate25In(places(runtime.GOOS))
}

func locate25In(patterns []string) (kit, error) {
	homes := []string{os.Getenv("JAVA_HOME")}
	for _, pattern := range patterns {
		found, err := filepath.Glob(pattern) // in order
		if err != nil {
			panic(err) // only a bad pattern is an error
		}
		homes = append(homes, found...)
	}
	for _, home := range homes {
		if k, ok := ofHome(home); ok {
			return k, nil
		}
	}
	return kit{}, fmt.Errorf("%w %s: JAVA25_HOME, JAVA_HOME and the folder of virtual machines lead to none",
		ErrNone, Feature)
}

// places are where virtual machines are installed.
func places(system string) []string {
	switch system {
	case "darwin":
		return []string{"/Library/Java/JavaVirtualMachines/*/Contents/Home"}
	case "windows":
		programs := os.Getenv("ProgramFiles")
		return []string{
			filepath.Join(programs, "Java", "*"), filepath.Join(programs, "Eclipse Adoptium", "*"),
		}
	default:
		return []string{"/usr/lib/jvm/*", "/usr/java/*", "/usr/local/openjdk*"}
	}
}

// ofHome returns the JDK of a folder, if it is complete and of the release.
func ofHome(home string) (kit, bool) {
	version, err := release(filepath.Join(home, "release"))
	if home == "" || err != nil || version != Feature {
		return kit{}, false
	}
	return ofCompiler(filepath.Join(home, "bin", "javac"))
}

// release reads which release it is from the file in which each JDK says so.
func release(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if value, ok := strings.CutPrefix(lines.Text(), "JAVA_VERSION="); ok {
			feature, _, _ := strings.Cut(strings.Trim(value, `"`), ".")
			return feature, nil
		}
	}
	return "", errors.New("it does not say its version")
}

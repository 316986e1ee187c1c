package jvm

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// ErrNone says that there is no JDK, or that none is wanted.
var ErrNone = errors.New("no JDK")

// kit is a JDK, as far as it is used: both programs must be of the same version.
type kit struct{ java, javac string }

func locate(java string) (kit, error) {
	switch java {
	case "off":
		return kit{}, fmt.Errorf("%w: it is switched off", ErrNone)
	case "auto":
		return search()
	}
	path, err := exec.LookPath(java)
	if err != nil {
		return kit{}, err
	}
	javac, ok := beside(path, "javac")
	if !ok {
		return kit{}, fmt.Errorf("%s: there is no javac beside it, which a JDK has and a JRE has not", java)
	}
	return kit{path, javac}, nil
}

// search takes the java beside a javac, as many machines have the one without the other.
func search() (kit, error) {
	if home := os.Getenv("JAVA_HOME"); home != "" {
		if k, ok := ofCompiler(filepath.Join(home, "bin", "javac")); ok {
			return k, nil
		}
	}
	if k, ok := ofCompiler("javac"); ok {
		return k, nil
	}
	return kit{}, fmt.Errorf("%w: JAVA_HOME and PATH lead to no javac with a java beside it", ErrNone)
}

func ofCompiler(javac string) (kit, bool) {
	javac, err := exec.LookPath(javac)
	if err != nil {
		return kit{}, false
	}
	java, ok := beside(javac, "java")
	return kit{java, javac}, ok
}

// beside finds another program of the kit that one belongs to. It is beside the file that a link
// leads to, as links of java and javac may lead to different versions; where all programs are links
// to one that chooses a version, it is beside the link.
func beside(program, name string) (path string, ok bool) {
	name += filepath.Ext(program) // .exe
	places := []string{program}
	if file, err := filepath.EvalSymlinks(program); err == nil {
		places = []string{file, program}
	}
	for _, p := range places {
		if path, err := exec.LookPath(filepath.Join(filepath.Dir(p), name)); err == nil {
			return path, true
		}
	}
	return "", false
}

package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// errNoJDK says that there is no JDK of some version.
var errNoJDK = errors.New("there is no such JDK")

// jdkFolders are where systems keep their JDKs, by custom.
var jdkFolders = []string{
	"/usr/lib/jvm", "/usr/java", "/Library/Java/JavaVirtualMachines",
	`C:\Program Files\Java`, `C:\Program Files\Eclipse Adoptium`,
}

// findJDK returns the home of a JDK of that version: what JAVA25_HOME says for 25, or else that of
// JAVA_HOME, or of the javac in PATH, or one that lies beside those, or where JDKs usually are.
func findJDK(version int) (home string, err error) {
	name := fmt.Sprintf("JAVA%d_HOME", version)
	if home := os.Getenv(name); home != "" {
		if versionOf(home) != version {
			return "", fmt.Errorf("%s: no JDK %d in %s", name, version, home)
		}
		return home, nil
	}
	for _, home := range homes() {
		if versionOf(home) == version {
			return home, nil
		}
	}
	return "", fmt.Errorf("%w: %s is not set, and no folder of JDKs has one", errNoJDK, name)
}

// homes returns where a JDK may be.
func homes() []string {
	var found []string
	if home := os.Getenv("JAVA_HOME"); home != "" {
		found = append(found, home)
	}
	if javac, err := exec.LookPath("javac"); err == nil {
		if file, err := filepath.EvalSymlinks(javac); err == nil {
			found = append(found, filepath.Dir(filepath.Dir(file)))
		}
	}
	folders := slices.Clone(jdkFolders)
	for _, home := range found {
		folders = append(folders, filepath.Dir(home))
	}
	for _, folder := range folders {
		for _, inside := range []string{"*", "*/Contents/Home"} {
			more, _ := filepath.Glob(filepath.Join(folder, inside)) // the pattern is right
			found = append(found, more...)
		}
	}
	return found
}

// versionOf reads the file release of a JDK; 0 if there is no JDK.
func versionOf(home string) int {
	for _, program := range []string{"java", "javac"} {
		if _, err := exec.LookPath(filepath.Join(home, "bin", program)); err != nil {
			return 0
		}
	}
	file, err := os.Open(filepath.Join(home, "release"))
	if err != nil {
		return 0
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if value, ok := strings.CutPrefix(lines.Text(), "JAVA_VERSION="); ok {
			major, _, _ := strings.Cut(strings.Trim(value, `"`), ".")
			n, _ := strconv.Atoi(major)
			return n
		}
	}
	return 0
}

package jvm

import (
	"archive/zip"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// nettyJars returns what must be on the class path for Netty's wheel: nothing if it is not there.
// What has been named must be.
func nettyJars() ([]string, error) {
	if list, ok := os.LookupEnv("NETTY_JARS"); ok {
		jars := filepath.SplitList(list)
		for _, jar := range jars {
			if _, err := os.Stat(jar); err != nil {
				return nil, fmt.Errorf("NETTY_JARS: %w", err)
			}
		}
		return jars, nil
	}
	return installedJars(), nil
}

func installedJars() []string {
	for _, pattern := range []string{"netty-common.jar", "netty-common-4*.jar", "netty-all.jar", "netty-all-4*.jar"} {
		found, err := filepath.Glob(filepath.Join("/usr/share/java", pattern))
		if err != nil {
			panic(err) // only a bad pattern is an error
		}
		slices.Sort(found)
		for _, jar := range slices.Backward(found) { // the newest first, more or less
			if hasWheel(jar) {
				return []string{jar}
			}
		}
	}
	return nil
}

// hasWheel reports whether the wheel is in a jar. There are versions of netty-all with nothing in
// it.
func hasWheel(jar string) bool {
	files, err := zip.OpenReader(jar)
	if err != nil {
		return false
	}
	defer files.Close()
	return slices.ContainsFunc(files.File, func(f *zip.File) bool {
		return f.Name == "io/netty/util/HashedWheelTimer.class"
	})
}

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"time"
)

// machine is a line about where this runs.
func machine(dir string) string {
	return fmt.Sprintf("%s, %d processors, GOMAXPROCS %d, %s/%s, %s; 4 KiB to disk, synced: "+
		"p50 %s ms.",
		processor(), runtime.NumCPU(), runtime.GOMAXPROCS(0), runtime.GOOS, runtime.GOARCH,
		runtime.Version(), figure(syncTime(dir)))
}

func processor() string {
	text, _ := os.ReadFile("/proc/cpuinfo") // elsewhere there is none
	for line := range strings.Lines(string(text)) {
		if name, value, _ := strings.Cut(line, ":"); strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "unknown processor"
}

// syncTime is the median of what it takes to append a page to a file and to sync it, in
// milliseconds.
func syncTime(dir string) float64 {
	f, err := os.Create(filepath.Join(dir, "sync"))
	if err != nil {
		return 0
	}
	defer f.Close() //nolint:errcheck // nobody reads it
	var took []float64
	for range 200 {
		begun := time.Now()
		if _, err := f.Write(make([]byte, 4096)); err != nil {
			return 0
		}
		if err := f.Sync(); err != nil {
			return 0
		}
		took = append(took, milliseconds(time.Since(begun)))
	}
	return median(took)
}

// compared are the modules whose versions matter.
var compared = []string{
	"github.com/nats-io/nats-server/v2", "github.com/nats-io/nats.go",
	"github.com/riverqueue/river", "github.com/jackc/pgx/v5",
	"github.com/hibiken/asynq", "github.com/redis/go-redis/v9",
}

// versions is a line about what is compared.
func versions() string {
	var list []string
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, path := range compared {
			for _, m := range info.Deps {
				if m.Path == path {
					list = append(list, strings.TrimPrefix(path, "github.com/")+" "+m.Version)
				}
			}
		}
	}
	if bin, err := postgresBin(); err == nil {
		list = append(list, told(filepath.Join(bin, "postgres")))
	}
	if redisMissing() == "" {
		list = append(list, told("redis-server"))
	}
	return strings.Join(list, "; ") + "."
}

// told is what a program says of its version, without the details of its build.
func told(program string) string {
	out, _ := exec.Command(program, "--version").Output() // none says nothing
	text, _, _ := strings.Cut(strings.TrimSpace(string(out)), " sha=")
	text, _, _ = strings.Cut(text, " (Debian")
	return text
}

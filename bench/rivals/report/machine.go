package report

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
)

// Machine is where it was measured, and with what.
type Machine struct {
	Processor  string            `json:"processor,omitempty"`
	Processors int               `json:"processors"`
	GOMAXPROCS int               `json:"gomaxprocs"`
	Memory     int64             `json:"memoryBytes,omitempty"`
	System     string            `json:"system"` // operating system and architecture
	Kernel     string            `json:"kernel,omitempty"`
	Go         string            `json:"go"`
	Java       string            `json:"java,omitempty"`
	Java25     string            `json:"java25,omitempty"`
	Netty      string            `json:"netty,omitempty"`
	Modules    map[string]string `json:"modules"` // of the rivals in Go, with their versions
}

// rivals are the modules that are measured against.
var rivals = []string{
	"github.com/alitto/pond/v2",
	"github.com/gammazero/workerpool",
	"github.com/go-co-op/gocron/v2",
	"github.com/panjf2000/ants/v2",
	"github.com/reugn/go-quartz",
	"github.com/robfig/cron/v3",
	"github.com/sourcegraph/conc",
	"github.com/zeromicro/go-zero",
	"golang.org/x/sync",
}

// ThisMachine returns what this process can find out about where it is. What it cannot is empty.
func ThisMachine() Machine {
	m := Machine{
		Processors: runtime.NumCPU(), GOMAXPROCS: runtime.GOMAXPROCS(0),
		System: runtime.GOOS + "/" + runtime.GOARCH, Go: runtime.Version(), Modules: modules(),
		Processor: field("/proc/cpuinfo", "model name"),
	}
	if kernel, err := os.ReadFile("/proc/sys/kernel/osrelease"); err == nil {
		m.Kernel = strings.TrimSpace(string(kernel))
	}
	if _, err := fmt.Sscanf(field("/proc/meminfo", "MemTotal"), "%d kB", &m.Memory); err == nil {
		m.Memory <<= 10
	}
	return m
}

// field returns what stands behind the first "name:" of a file in /proc.
func field(path, name string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	for line := range bytes.Lines(text) {
		if key, value, ok := strings.Cut(string(line), ":"); ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

func modules() map[string]string {
	versions := map[string]string{}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return versions
	}
	for _, m := range info.Deps {
		if slices.Contains(rivals, m.Path) {
			versions[m.Path] = m.Version
		}
	}
	return versions
}

// text describes the machine in one line, and the modules in another.
func (m Machine) text() (machine, modules string) {
	parts := []string{}
	add := func(format, value string) {
		if value != "" {
			parts = append(parts, fmt.Sprintf(format, value))
		}
	}
	add("%s", m.Processor)
	add("%s", fmt.Sprintf("%d processors, GOMAXPROCS %d", m.Processors, m.GOMAXPROCS))
	if m.Memory > 0 {
		add("%s GiB", number(float64(m.Memory)/(1<<30)))
	}
	add("%s", strings.TrimSpace(m.System+" "+m.Kernel))
	add("%s", m.Go)
	add("Java %s", m.Java)
	add("JDK 25: %s", m.Java25)
	add("Netty %s", m.Netty)
	machine = strings.Join(parts, "; ")
	parts = nil
	for _, path := range rivals {
		if version := m.Modules[path]; version != "" {
			parts = append(parts, strings.TrimPrefix(path, "github.com/")+" "+version)
		}
	}
	return machine, strings.Join(parts, ", ")
}

package inspect

import (
	"os"
	"runtime/debug"
	"time"
)

// process is what the index tells, in JSON, of the process that it is of, so that a [Fleet] can tell
// processes and versions apart.
type process struct {
	Instance string    `json:"instance"` // never that of another process, or of another page
	Version  string    `json:"version,omitempty"`
	Host     string    `json:"host,omitempty"`
	PID      int       `json:"pid"`
	Started  time.Time `json:"started"` // when its page was made
}

func newProcess(instance string, began time.Time) process {
	host, _ := os.Hostname()
	return process{instance, builtVersion(), host, os.Getpid(), began}
}

// Version has the page, and the page of a [Fleet], show this version of the program. Without it that
// is the version of the main module or, if it has none, the commit from which it was built.
func Version(version string) Option {
	return func(p *Page) { p.process.Version = version }
}

// builtVersion returns which version of the program this is; "" if the build does not tell.
func builtVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	return versionOf(info)
}

func versionOf(info *debug.BuildInfo) string {
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	set := map[string]string{}
	for _, s := range info.Settings {
		set[s.Key] = s.Value
	}
	revision := set["vcs.revision"]
	if revision == "" {
		return ""
	}
	text := revision[:min(len(revision), 12)]
	if set["vcs.time"] != "" {
		text += " of " + set["vcs.time"]
	}
	if set["vcs.modified"] == "true" {
		text += ", modified"
	}
	return text
}

//go:build unix

package chrome

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

const (
	axeVersion = "4.14.1"
	// axeSum is the SHA-256 of axe.min.js of that version.
	axeSum = "29348999450cdf2849a8e70b7912fc2da85a849da39c0d0d5394f51d4a9ed95c"
	// axeFile is the place of the script in the package.
	axeFile = "package/axe.min.js"
)

// axeRun checks the page and keeps what a report needs of the result. Frames
// are left out because axe would have to run in each of them.
const axeRun = `axe.run(document, {resultTypes: ["violations"], iframes: false}).then(
	result => result.violations.map(violation => ({
		id: violation.id, impact: violation.impact, help: violation.help,
		targets: violation.nodes.map(node => node.target.flat().join(" ")),
	})))`

// A violation is one rule of axe that the page breaks.
type violation struct {
	ID, Impact, Help string
	Targets          []string
}

// String is the rule and the first elements that break it, in one line.
func (v violation) String() string {
	const most = 3
	targets := strings.Join(v.Targets[:min(most, len(v.Targets))], ", ")
	if more := len(v.Targets) - most; more > 0 {
		targets += fmt.Sprintf(" and %d more", more)
	}
	return fmt.Sprintf("%s: %s: %s [%s]", v.Impact, v.ID, v.Help, targets)
}

// Axe checks the accessibility of the page as it stands with axe-core and
// returns one line for each rule whose breach is serious or critical. Lesser
// breaches go to the log of the test.
func (t *Tab) Axe() []string {
	t.t.Helper()
	source, err := axeSource()
	if err != nil {
		t.t.Fatalf("get axe-core: %v", err)
	}
	var found []violation
	t.do("run axe-core", func(ctx context.Context) (err error) {
		found, err = t.runAxe(ctx, source)
		return err
	})
	var lines []string
	for _, v := range found {
		if v.Impact == "serious" || v.Impact == "critical" {
			lines = append(lines, v.String())
		} else {
			t.t.Log(v)
		}
	}
	return lines
}

// runAxe runs axe-core, which needs timers, with scripts on for as long as it
// takes. A page that was opened without its scripts does not get them back.
func (t *Tab) runAxe(ctx context.Context, source string) ([]violation, error) {
	if !t.noScript {
		return axe(ctx, source)
	}
	if err := setScript(ctx, true); err != nil {
		return nil, err
	}
	found, err := axe(ctx, source)
	return found, errors.Join(err, setScript(ctx, false))
}

// axe runs axe-core in a world of its own, which the policy of the page does
// not reach and whose globals the page does not see.
func axe(ctx context.Context, source string) ([]violation, error) {
	tree, err := chromedp.Call(ctx, page.GetFrameTree, cdp.Empty{})
	if err != nil {
		return nil, err
	}
	world, err := chromedp.Call(ctx, page.CreateIsolatedWorld, page.CreateIsolatedWorldParams{
		FrameID: tree.FrameTree.Frame.ID, WorldName: "chrome-axe",
	})
	if err != nil {
		return nil, err
	}
	params := runtime.EvaluateParams{ContextID: world.ExecutionContextID, Expression: source}
	if err := eval(ctx, params, nil); err != nil {
		return nil, err
	}
	var found []violation
	params.Expression = axeRun
	err = eval(ctx, params, &found)
	return found, err
}

// axeSource is the text of axe-core. It is got once and kept in the cache of
// the user.
var axeSource = sync.OnceValues(func() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	path := filepath.Join(cache, "axe-core", axeVersion+".js")
	if text, err := os.ReadFile(path); err == nil && checkAxe(text) == nil {
		return string(text), nil
	}
	text, err := packAxe()
	if err != nil {
		return "", err
	}
	return string(text), keep(path, text)
})

// checkAxe tells whether a text is the script that is expected.
func checkAxe(text []byte) error {
	sum := sha256.Sum256(text)
	if got := hex.EncodeToString(sum[:]); got != axeSum {
		return fmt.Errorf("axe-core %s has the SHA-256 %s, not %s", axeVersion, got, axeSum)
	}
	return nil
}

// packAxe gets axe-core through npm.
func packAxe() ([]byte, error) {
	npm, err := require("npm", "npm")
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "axe-core-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if _, err := run(dir, npm, "pack", "--silent", "axe-core@"+axeVersion); err != nil {
		return nil, err
	}
	packed, err := os.ReadFile(filepath.Join(dir, "axe-core-"+axeVersion+".tgz"))
	if err != nil {
		return nil, err
	}
	text, err := unpack(packed, axeFile)
	if err != nil {
		return nil, err
	}
	return text, checkAxe(text)
}

// unpack returns one file of a compressed archive.
func unpack(packed []byte, name string) ([]byte, error) {
	plain, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	archive := tar.NewReader(plain)
	for {
		header, err := archive.Next()
		if err != nil {
			return nil, fmt.Errorf("look for %s: %w", name, err)
		}
		if header.Name == name {
			return io.ReadAll(archive)
		}
	}
}

// keep writes a file in one step, so that nobody reads half of it.
func keep(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	file, err := os.CreateTemp(filepath.Dir(path), "new-")
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}

//go:build unix

package chrome

import (
	"context"
	"os"

	"github.com/chromedp/chromedp"
)

// Screenshot writes a picture of the whole page to a PNG file.
func (t *Tab) Screenshot(path string) {
	t.t.Helper()
	t.do("take a screenshot", func(ctx context.Context) error {
		// The quality 100 asks for PNG.
		picture, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
		if err != nil {
			return err
		}
		return os.WriteFile(path, picture, 0o644)
	})
}

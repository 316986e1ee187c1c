package inspect

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"net/http"
	"strconv"
)

//go:embed asset
var assetFiles embed.FS

// assets are the files that a page loads, with their types.
var assets = map[string]string{
	"page.js":   "text/javascript; charset=utf-8",
	"style.css": "text/css; charset=utf-8",
}

// version tells assets of different builds apart. It stands in their addresses, so they may be kept
// for ever; and a page that is still open when the program is replaced loads itself anew.
var version = func() string {
	hash := sha256.New()
	for _, name := range []string{"page.js", "style.css"} {
		hash.Write(asset(name))
	}
	return hex.EncodeToString(hash.Sum(nil))[:12]
}()

func asset(name string) []byte {
	data, err := assetFiles.ReadFile("asset/" + name)
	if err != nil {
		panic(err) // it has been embedded
	}
	return data
}

func serveAsset(w http.ResponseWriter, r *http.Request, name string) {
	kind, ok := assets[name]
	if !ok {
		http.NotFound(w, r)
		return
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
		return
	}
	if r.URL.Query().Get("v") == version {
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	data := asset(name)
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Content-Length", strconv.Itoa(len(data)))
	_, _ = w.Write(data)
}

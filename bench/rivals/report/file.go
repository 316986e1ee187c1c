package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// file is one that is to be written.
type file struct {
	suffix string // behind the stem that all have in common
	data   []byte
}

// Save writes a report that is finished into dir, which it makes if need be, and returns the paths:
// the data, the tables, and a picture of each workload. All names begin with the date. What is
// there already stays: then they go on with -2, or -3.
func (r *Report) Save(dir string) (paths []string, err error) {
	files, missing := r.files()
	if len(files) == 0 {
		return nil, missing
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	stem := filepath.Join(dir, r.Date.Format("2006-01-02"))
	for n := 2; ; n++ {
		taken, err := anyThere(stem, files)
		if err != nil {
			return nil, err
		}
		if !taken {
			break
		}
		stem = filepath.Join(dir, fmt.Sprintf("%s-%d", r.Date.Format("2006-01-02"), n))
	}
	files[1].data = append(files[1].data, pictures(filepath.Base(stem), files[2:])...)
	for _, f := range files {
		if err := create(stem+f.suffix, f.data); err != nil {
			return paths, err
		}
		paths = append(paths, stem+f.suffix)
	}
	return paths, missing
}

// files returns the data, the tables, and then the pictures: with an error those that could be
// drawn.
func (r *Report) files() ([]file, error) {
	var data bytes.Buffer
	encoder := json.NewEncoder(&data)
	encoder.SetIndent("", "\t")
	if err := encoder.Encode(r); err != nil {
		return nil, err
	}
	files := []file{{".json", data.Bytes()}, {".md", []byte(r.Markdown())}}
	var failures []error
	for _, w := range r.Workloads {
		if !w.drawable() {
			continue
		}
		picture, err := w.draw(r.Quick)
		if err != nil {
			failures = append(failures, fmt.Errorf("the picture of %s: %w", w.Name, err))
			continue
		}
		files = append(files, file{"-" + w.Name + ".svg", picture})
	}
	return files, errors.Join(failures...)
}

// pictures returns what shows them below the tables.
func pictures(stem string, files []file) string {
	var b strings.Builder
	for _, f := range files {
		name := strings.TrimSuffix(strings.TrimPrefix(f.suffix, "-"), ".svg")
		fmt.Fprintf(&b, "\n![%s](%s)\n", name, stem+f.suffix)
	}
	return b.String()
}

func anyThere(stem string, files []file) (bool, error) {
	for _, f := range files {
		switch _, err := os.Lstat(stem + f.suffix); {
		case err == nil:
			return true, nil
		case !errors.Is(err, fs.ErrNotExist):
			return false, err
		}
	}
	return false, nil
}

// create writes a file that must not be there.
func create(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

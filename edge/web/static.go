package web

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"path"
)

// static serves the embedded files under a path that holds the fingerprint of
// all of them: a browser may keep them for ever, and modules import each other
// by relative names.
type static struct {
	stamp string
	files map[string][]byte
}

func loadStatic(parts []part) (*static, error) {
	s := &static{files: map[string][]byte{}}
	sum := sha256.New()
	for _, p := range parts {
		err := fs.WalkDir(p.files, "static", func(name string, d fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) && name == "static" {
				return nil
			}
			if err != nil || d.IsDir() {
				return err
			}
			b, err := fs.ReadFile(p.files, name)
			fmt.Fprintf(sum, "%s\x00%d\x00%s", name, len(b), b)
			base := path.Base(name)
			if _, ok := s.files[base]; ok {
				return fmt.Errorf("the file %s is brought by two rooms", base)
			}
			s.files[base] = b
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("read the embedded files of %s: %w", p.name, err)
		}
	}
	s.stamp = hex.EncodeToString(sum.Sum(nil)[:8])
	return s, nil
}

func (s *static) has(name string) bool { return s.files[name] != nil }

func (s *static) weight() int {
	n := 0
	for _, b := range s.files {
		n += len(b)
	}
	return n
}

// url is where a page finds a file; an unknown name is an error of the
// template.
func (s *static) url(name string) (string, error) {
	if _, ok := s.files[name]; !ok {
		return "", fmt.Errorf("no embedded file %q", name)
	}
	return "/static/" + s.stamp + "/" + name, nil
}

func (s *static) serve(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	b, ok := s.files[name]
	kind := map[string]string{
		".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml",
	}[path.Ext(name)]
	if !ok || kind == "" || r.PathValue("stamp") != s.stamp {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	_, _ = w.Write(b) // a browser that went away needs no answer
}

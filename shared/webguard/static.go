package webguard

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"path"
)

// Static serves embedded files under a path with the hash of all of them: browsers may
// cache them for ever, and modules import each other by relative names.
type Static struct {
	prefix string // such as /static/
	hash   string
	files  map[string][]byte
}

// NewStatic reads the files in folder 'static' of each source. Their names must be
// unique. prefix is their path on the server; Pattern is below it.
func NewStatic(prefix string, sources ...fs.FS) (*Static, error) {
	s := &Static{prefix: prefix, files: map[string][]byte{}}
	sum := sha256.New()
	for _, source := range sources {
		err := fs.WalkDir(source, "static", func(name string, d fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) && name == "static" {
				return nil
			}
			if err != nil || d.IsDir() {
				return err
			}
			b, err := fs.ReadFile(source, name)
			fmt.Fprintf(sum, "%s\x00%d\x00%s", name, len(b), b)
			base := path.Base(name)
			if _, ok := s.files[base]; ok {
				return fmt.Errorf("two files are called %s", base)
			}
			s.files[base] = b
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("read the embedded static files: %w", err)
		}
	}
	s.hash = hex.EncodeToString(sum.Sum(nil)[:8])
	return s, nil
}

// Size is the length of all files, in bytes.
func (s *Static) Size() (n int) {
	for _, b := range s.files {
		n += len(b)
	}
	return n
}

// Has reports whether there is a file with a name.
func (s *Static) Has(name string) bool { return s.files[name] != nil }

// URL returns the address of a file; an unknown name fails the template.
func (s *Static) URL(name string) (string, error) {
	if _, ok := s.files[name]; !ok {
		return "", fmt.Errorf("no embedded file %q", name)
	}
	return s.prefix + s.hash + "/" + name, nil
}

// Pattern is what http.ServeMux serves with ServeHTTP.
func (s *Static) Pattern() string { return "GET " + s.prefix + "{hash}/{name}" }

// ServeHTTP serves one file; an address with an older hash is not found.
func (s *Static) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	b, ok := s.files[name]
	kind := map[string]string{
		".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml",
	}[path.Ext(name)]
	if !ok || kind == "" || r.PathValue("hash") != s.hash {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	_, _ = w.Write(b) // the browser may have gone
}

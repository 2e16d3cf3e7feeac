package main

import (
	"archive/zip"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// goModulePath is the path in deploy/sdk/go/go.mod.
const goModulePath = "galla.example/sdk"

// packGo makes a folder that is a module proxy: GOPROXY=file:///…/dist/sdk/go lets go get
// find the module there. A web server that serves the folder is one, too.
func packGo(_ context.Context, j job) error {
	version := "v" + j.version
	proxy := filepath.Join(j.out, filepath.FromSlash(goModulePath), "@v")
	if err := os.MkdirAll(proxy, 0o755); err != nil {
		return fmt.Errorf("make the proxy: %w", err)
	}
	mod, err := os.ReadFile(filepath.Join(j.source, "go.mod"))
	if err != nil {
		return fmt.Errorf("read the module: %w", err)
	}
	for name, text := range map[string][]byte{
		"list": []byte(version + "\n"), version + ".info": fmt.Appendf(nil, "{\"Version\":%q}\n", version), version + ".mod": mod,
	} {
		if err := os.WriteFile(filepath.Join(proxy, name), text, 0o644); err != nil {
			return fmt.Errorf("write the proxy: %w", err)
		}
	}
	return zipFolder(j.source, filepath.Join(proxy, version+".zip"), goModulePath+"@"+version)
}

// zipTime is the time of all files in a zip, so that the same sources give the same bytes.
func zipTime() time.Time { return time.Date(1980, time.January, 1, 0, 0, 0, 0, time.UTC) }

// zipFolder packs the files of a folder below a prefix, in the order of their names; hidden
// ones and testdata are left out.
func zipFolder(folder, file, prefix string) error {
	out, err := os.Create(file)
	if err != nil {
		return fmt.Errorf("make the zip: %w", err)
	}
	z := zip.NewWriter(out)
	err = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == folder {
			return err
		}
		if strings.HasPrefix(d.Name(), ".") || d.IsDir() && d.Name() == "testdata" {
			if d.IsDir() {
				return filepath.SkipDir
			}
			return nil
		}
		if d.IsDir() {
			return nil
		}
		return addFile(z, folder, path, prefix)
	})
	if e := z.Close(); err == nil {
		err = e
	}
	if e := out.Close(); err == nil {
		err = e
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", filepath.Base(file), err)
	}
	return nil
}

func addFile(z *zip.Writer, folder, path, prefix string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	rel, err := filepath.Rel(folder, path)
	if err != nil {
		return err
	}
	w, err := z.CreateHeader(&zip.FileHeader{Name: prefix + "/" + filepath.ToSlash(rel), Method: zip.Deflate, Modified: zipTime()})
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// packPython makes a wheel and an sdist, with Debian's build, setuptools and wheel and no
// network.
func packPython(ctx context.Context, j job) error {
	source, err := copied(j.source, "pyproject.toml", "MANIFEST.in", "README.md", "src", "tests", "examples")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(source) }()
	// The wheel says when its files were made; the same sources give the same bytes.
	return command(ctx, source, "env", fmt.Sprintf("SOURCE_DATE_EPOCH=%d", zipTime().Unix()), python(), "-m", "build", "--no-isolation", "--outdir", j.out, ".")
}

// python is the one that has the build tools: another Python that stands before Debian's in
// the path does not see apt's packages. -I leaves the present folder out, which may have one
// that is called build.
func python() string {
	const debian = "/usr/bin/python3"
	if exec.Command(debian, "-I", "-c", "import build, setuptools, wheel").Run() == nil {
		return debian
	}
	return "python3"
}

// copied copies parts of a folder into a new one, where tools may leave what they make.
func copied(folder string, parts ...string) (string, error) {
	temp, err := os.MkdirTemp("", "galla-sdk-")
	if err != nil {
		return "", fmt.Errorf("make a folder to build in: %w", err)
	}
	for _, part := range parts {
		from, to := filepath.Join(folder, part), filepath.Join(temp, part)
		info, err := os.Stat(from)
		if err == nil && info.IsDir() {
			err = os.CopyFS(to, os.DirFS(from))
		} else if err == nil {
			var text []byte
			if text, err = os.ReadFile(from); err == nil {
				err = os.WriteFile(to, text, 0o644)
			}
		}
		if err != nil {
			_ = os.RemoveAll(temp)
			return "", fmt.Errorf("copy %s: %w", part, err)
		}
	}
	return temp, nil
}

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// packJava makes a folder that is a Maven repository: the classes, the sources, and the
// description of the package. javac and jar build it, since Maven's plugins come from its
// registry.
func packJava(ctx context.Context, j job) error {
	classes, err := os.MkdirTemp("", "galla-sdk-")
	if err != nil {
		return fmt.Errorf("make a folder to build in: %w", err)
	}
	defer func() { _ = os.RemoveAll(classes) }()
	sources := filepath.Join(j.source, "src", "main", "java")
	files, err := filepath.Glob(filepath.Join(sources, "example", "galla", "*.java"))
	if err != nil || len(files) == 0 {
		return fmt.Errorf("no sources below %s", sources)
	}
	if err := command(ctx, j.source, "javac", append([]string{"-Xlint:all", "-Werror", "-encoding", "UTF-8", "--release", "17", "-d", classes}, files...)...); err != nil {
		return err
	}
	folder := filepath.Join(j.out, "example", "galla", "galla-sdk", j.version)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("make the repository: %w", err)
	}
	base := filepath.Join(folder, "galla-sdk-"+j.version)
	pom, err := os.ReadFile(filepath.Join(j.source, "pom.xml"))
	if err != nil {
		return fmt.Errorf("read the description: %w", err)
	}
	if !strings.Contains(string(pom), "<version>"+j.version+"</version>") {
		return fmt.Errorf("pom.xml has another version than %s: make sdk-sources", j.version)
	}
	if err := os.WriteFile(base+".pom", pom, 0o644); err != nil {
		return fmt.Errorf("write the description: %w", err)
	}
	const date = "--date=1980-01-01T00:00:02Z" // the same sources give the same bytes
	if err := command(ctx, j.source, "jar", "--create", date, "--file", base+".jar", "-C", classes, "."); err != nil {
		return err
	}
	return command(ctx, j.source, "jar", "--create", date, "--no-manifest", "--file", base+"-sources.jar", "-C", sources, ".")
}

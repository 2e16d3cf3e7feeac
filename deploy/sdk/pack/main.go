// Command pack makes the packages of the SDKs, each as its registry wants it:
//
//	go run ./deploy/sdk/pack -out dist/sdk [LANGUAGE...]
//
// It runs in the repository's root and builds from deploy/sdk, into a folder for each
// language below the -out folder, which it empties first. `make sdk` calls it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"galla/central/api/openapi"
	"galla/deploy/sdk/generate"
)

// job is what every packer gets.
type job struct {
	source  string // the SDK's folder
	out     string // an empty folder for its packages
	version string // of the interface: major.minor.patch
}

// packer makes the packages of one language.
type packer struct {
	name string // of the language, and of its folder in deploy/sdk
	pack func(context.Context, job) error
}

// packers lists the languages.
func packers() []packer {
	return []packer{
		{"node", packNode},
		{"go", packGo},
		{"python", packPython},
		{"php", packPHP},
		{"java", packJava},
	}
}

func main() {
	out := flag.String("out", filepath.Join("dist", "sdk"), "folder for the packages")
	flag.Parse()
	if err := run(context.Background(), *out, flag.Args(), os.Stdout); err != nil {
		fmt.Fprintf(os.Stderr, "pack: %v\n", err)
		os.Exit(1)
	}
}

// run packs the named languages, or all.
func run(ctx context.Context, out string, names []string, says io.Writer) error {
	for _, name := range names {
		if !slices.ContainsFunc(packers(), func(p packer) bool { return p.name == name }) {
			return fmt.Errorf("there is no SDK for %q", name)
		}
	}
	text, err := openapi.JSON()
	if err != nil {
		return fmt.Errorf("read the OpenAPI document: %w", err)
	}
	model, err := generate.Read(text)
	if err != nil {
		return err
	}
	if out, err = filepath.Abs(out); err != nil {
		return fmt.Errorf("find the folder for the packages: %w", err)
	}
	var failed []error
	for _, p := range packers() {
		if len(names) > 0 && !slices.Contains(names, p.name) {
			continue
		}
		if err := packOne(ctx, p, out, model.Version, says); err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", p.name, err))
		}
	}
	return errors.Join(failed...)
}

// packOne packs one language and lists what it made.
func packOne(ctx context.Context, p packer, out, version string, says io.Writer) error {
	source, err := filepath.Abs(filepath.Join("deploy", "sdk", p.name))
	if err != nil {
		return fmt.Errorf("find its sources: %w", err)
	}
	j := job{source: source, out: filepath.Join(out, p.name), version: version}
	if err := os.RemoveAll(j.out); err != nil {
		return fmt.Errorf("empty its folder: %w", err)
	}
	if err := os.MkdirAll(j.out, 0o755); err != nil {
		return fmt.Errorf("make its folder: %w", err)
	}
	if err := p.pack(ctx, j); err != nil {
		return err
	}
	return filepath.WalkDir(j.out, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			_, err = fmt.Fprintln(says, path)
		}
		return err
	})
}

// command runs a program in a folder; its error has what the program printed.
func command(ctx context.Context, dir, program string, args ...string) error {
	if _, err := exec.LookPath(program); err != nil {
		return fmt.Errorf("%s is missing: deploy/tools/need.sh languages partner installs it", program)
	}
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = dir
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w: %s", program, strings.Join(args, " "), err, text)
	}
	return nil
}

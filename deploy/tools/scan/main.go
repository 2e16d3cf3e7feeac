package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"time"
)

// programs are what is released.
var programs = []string{"./central/cmd/galla-central", "./edge/cmd/galla-edge", "./installers/cmd/galla-release"}

// Files beside this one, seen from the folder of the repository.
const (
	folder          = "deploy/tools/scan/"
	vulnerabilities = folder + "vulnerabilities.json"
	gosecBaseline   = folder + "gosec.txt"
	vulnBaseline    = folder + "govulncheck.txt"
)

func main() {
	root := flag.String("root", "../..", "folder of the repository")
	renew := flag.Bool("renew", false, "take the newest vulnerabilities from the module proxy, and scan nothing")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := os.Chdir(*root)
	switch {
	case err != nil:
	case *renew:
		err = renewVulnerabilities(ctx)
	default:
		err = scanAll(ctx)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "scan:", err)
		os.Exit(1)
	}
}

// scanAll runs both scanners and gives all that is wrong.
func scanAll(ctx context.Context) error {
	began := time.Now()
	folders, err := packageFolders(ctx)
	if err != nil {
		return err
	}
	weak, err := runGosec(folders)
	if err != nil {
		return fmt.Errorf("gosec: %w", err)
	}
	middle := time.Now()
	vulnerable, err := runGovulncheck(ctx)
	if err != nil {
		return fmt.Errorf("govulncheck: %w", err)
	}
	err = errors.Join(compare(gosecBaseline, weak), compare(vulnBaseline, vulnerable))
	fmt.Printf("scan: gosec on %d packages %.0f s, govulncheck on %d programs %.0f s\n", len(folders), middle.Sub(began).Seconds(), len(programs), time.Since(middle).Seconds())
	return err
}

// packageFolders gives the folders of Galla's packages that are in a released program,
// on Linux or on Windows.
func packageFolders(ctx context.Context) ([]string, error) {
	var all []string
	seen := map[string]bool{}
	for _, system := range []string{"linux", "windows"} {
		text, err := goCommand(ctx, []string{"GOOS=" + system}, append([]string{"list", "-deps", "-f", "{{if .Module}}{{if .Module.Main}}{{.Dir}}{{end}}{{end}}"}, programs...)...)
		if err != nil {
			return nil, err
		}
		for _, dir := range strings.Fields(string(text)) {
			if !seen[dir] {
				seen[dir] = true
				all = append(all, dir)
			}
		}
	}
	return all, nil
}

func goCommand(ctx context.Context, env []string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Env = append(os.Environ(), env...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s: %w: %s", args[0], err, errs.String())
	}
	return out, nil
}

// relative is a file's path in the repository.
func relative(path string) string {
	here, err := os.Getwd()
	if err != nil {
		return path
	}
	if rel, err := filepath.Rel(here, path); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return path
}

//go:build !windows

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAnothersFolder: a command that writes releases is for the account that the
// data folder belongs to; what root fetched the service could not replace.
func TestAnothersFolder(t *testing.T) {
	own := t.TempDir()
	theirs := filepath.Join(own, "theirs")
	if err := os.Mkdir(theirs, 0o755); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() != 0 {
		theirs = "/" // root's, and this user is another
	} else if err := os.Chown(theirs, 65534, 65534); err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{own, filepath.Join(own, "none")} {
		if err := checkDataOwner(folder); err != nil {
			t.Errorf("%s: %v", folder, err)
		}
	}
	for name, run := range map[string]func() error{
		"update":   func() error { return (&updateCmd{}).Run(t.Context(), &cli{Data: theirs}) },
		"releases": func() error { return (&releasesCmd{Block: "1.0.0"}).Run(t.Context(), &cli{Data: theirs}) },
	} {
		if err := run(); err == nil || !strings.Contains(err.Error(), "runuser -u ") {
			t.Errorf("%s in another's folder: %v", name, err)
		}
	}
	if (updateTrust{}).updatesFor(theirs) != nil {
		t.Error("looking at another's counter opens its releases")
	}
}

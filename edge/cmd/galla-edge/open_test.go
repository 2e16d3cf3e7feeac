package main

import (
	"slices"
	"testing"
)

// TestOpener: a link is an argument of its own, never a shell's.
func TestOpener(t *testing.T) {
	const link = "http://galla-abcdefghijklmnop.localhost:7200/"
	for system, want := range map[string][]string{
		"windows": {"rundll32", "url.dll,FileProtocolHandler", link}, "darwin": {"open", link}, "linux": {"xdg-open", link},
	} {
		if got := opener(system, link); !slices.Equal(got, want) {
			t.Errorf("%s: %q", system, got)
		}
	}
}

package main

import (
	"bytes"
	"testing"

	"galla/central/docs"
	pages "galla/deploy/docs"
)

// TestHandbook: the program's documents become pages, and /docs links to existing ones.
func TestHandbook(t *testing.T) {
	handbook, err := docs.NewHandbook(docs.Config{Documents: pages.Pages()})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"install", "enrol", "operate", "recover", "integrate", "runbooks/bank-down", "runbooks/restore"} {
		if !bytes.Contains(handbook.Pages()[docs.HandbookRoot+name], []byte("<h1")) {
			t.Errorf("%s is not served", name)
		}
	}
}

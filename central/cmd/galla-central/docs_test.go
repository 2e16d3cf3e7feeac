package main

import (
	"bytes"
	"testing"

	"galla/central/handbook"
	"galla/deploy/docs"
)

// TestHandbook: the documents that this program brings become pages, those that
// /docs points at among them.
func TestHandbook(t *testing.T) {
	pages, err := handbook.Pages(docs.Pages(), "")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"install", "enrol", "operate", "recover", "integrate", "runbooks/bank-down", "runbooks/restore"} {
		if !bytes.Contains(pages[handbook.Root+name], []byte("<h1")) {
			t.Errorf("%s is not served", name)
		}
	}
}

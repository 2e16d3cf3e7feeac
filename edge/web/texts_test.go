package web

import (
	"testing"

	"galla/edge/words"
)

// TestTexts: every language has every text of the kit.
func TestTexts(t *testing.T) {
	for _, fault := range words.Faults(words.Catalogue{Room: "web", Files: own}) {
		t.Error(fault)
	}
}

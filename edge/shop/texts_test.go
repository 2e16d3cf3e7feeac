package shop

import (
	"testing"

	"galla/edge/words"
)

// same are the texts of this room that are the same in every language.
var same = []string{"shop.poster.a4", "shop.poster.a5", "shop.status.other"}

// TestTexts: every language has every text of this room.
func TestTexts(t *testing.T) {
	for _, fault := range words.Faults(words.Catalogue{Room: "shop", Files: files}, same...) {
		t.Error(fault)
	}
}

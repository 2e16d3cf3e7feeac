package crew

import (
	"testing"

	"galla/edge/words"
)

// TestTexts: every language has every text of the room.
func TestTexts(t *testing.T) {
	for _, fault := range words.Faults(words.Catalogue{Room: "crew", Files: files}) {
		t.Error(fault)
	}
}

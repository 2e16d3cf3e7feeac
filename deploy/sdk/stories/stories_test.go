package stories

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestStoriesArePlayed: a block of integrate.md plays each story, and so TestEveryBlock
// plays it against a fresh sandbox.
func TestStoriesArePlayed(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "integrate.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range Names() {
		if !strings.Contains(string(page), "\ngalla-call story "+name+"\n") {
			t.Errorf("no block of integrate.md plays %s", name)
		}
	}
}

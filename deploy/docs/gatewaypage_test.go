//go:build linux

package docs

import (
	"fmt"
	"html"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"galla/central/docs"
)

// pastePage pastes the commands of the page /docs/gateway into a shell beside a fresh
// sandbox: each is answered with statusCode 00.
func pastePage(t *testing.T, bin string) {
	page, err := docs.GatewayGuide()
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	// The page's commands are for the folder in which `make run` runs.
	cache, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	blocks := []Block{{Page: "folder", Text: "ln -s " + bin + " bin; ln -s " + root + "/deploy deploy\nexport GOTOOLCHAIN=local GOCACHE=" + strings.TrimSpace(string(cache)) + "\n"}}
	for i, m := range regexp.MustCompile(`(?s)<pre[^>]*>((?:bin/|curl |export |go run )[^<]*)</pre>`).FindAllStringSubmatch(string(page), -1) {
		command := html.UnescapeString(m[1])
		if strings.Count(command, "\n") > 40 {
			t.Errorf("no command: %s", command)
		}
		blocks = append(blocks, Block{Page: "gateway", Line: i + 1, Text: fmt.Sprintf("{\n%s\n} > out.txt\ncat out.txt\ngrep -q '\"statusCode\": *\"00\"' out.txt\n", command)})
	}
	if len(blocks) < 5 {
		t.Fatalf("the page has %d commands", len(blocks)-1)
	}
	run(t, bin, "gateway page", blocks)
}

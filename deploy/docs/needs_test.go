package docs

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// The README names every package that `make test` installs: whoever runs it on a
// machine of theirs knows before what comes onto it.
func TestReadmeNamesWhatTestInstalls(t *testing.T) {
	read := func(path string) string {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	makefile, readme := read("../../Makefile"), read("../../README.md")
	_, commands, _ := strings.Cut(readme, "\n## Two commands\n")
	commands, _, _ = strings.Cut(commands, "\n### ")
	line := regexp.MustCompile(`(?m)^test: (.*?) ##`).FindStringSubmatch(makefile)
	if line == nil {
		t.Fatal("the Makefile has no target test")
	}
	found := 0
	for _, target := range strings.Fields(line[1]) {
		rule := regexp.MustCompile(`(?m)^` + target + `:.*\n((?:\t.*\n)+)`).FindStringSubmatch(makefile)
		if rule == nil {
			t.Errorf("the Makefile has no target %s", target)
			continue
		}
		var names []string
		for _, m := range regexp.MustCompile(`want="\$\$want ([^"]+)"|install -y -qq --no-install-recommends ([a-z][a-z0-9 -]*) >`).FindAllStringSubmatch(rule[1], -1) {
			names = append(names, strings.Fields(m[1]+" "+m[2])...)
		}
		for _, name := range names {
			found++
			if !strings.Contains(commands, "`"+name+"`") {
				t.Errorf("make %s installs %s, and the README's 'Two commands' does not say so", target, name)
			}
		}
	}
	if found < 9 {
		t.Errorf("only %d packages were found in the Makefile", found)
	}
}

// No block pipes into head: it closes the pipe when it has enough, and whoever still
// writes into it then fails, now and then. sed -n 1p and cut read to the end.
func TestNoBlockClosesItsPipe(t *testing.T) {
	early := regexp.MustCompile(`\|\s*(head|grep -[a-zA-Z]*m)\b`)
	for page, text := range all(t) {
		blocks, err := Blocks(page, text)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range blocks {
			if found := early.FindString(b.Text); found != "" {
				t.Errorf("%s:%d has %q, which may end before what it reads from", page, b.Line, found)
			}
		}
	}
}

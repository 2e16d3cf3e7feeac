package docs

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// The README names every package that the tests install, so that nobody is surprised by
// what comes onto the machine.
func TestReadmeNamesWhatTestsInstall(t *testing.T) {
	read := func(path string) string {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	makefile, readme := read("../../Makefile"), read("../../README.md")
	_, commands, _ := strings.Cut(readme, "\n## Two commands\n")
	commands, _, _ = strings.Cut(commands, "\n## ")
	for _, target := range []string{"test", "test-all"} {
		needs := regexp.MustCompile(`(?m)^` + target + `: .*\n\t@\$\(NEED\) (.+)$`).FindStringSubmatch(makefile)
		if needs == nil {
			t.Fatalf("the Makefile's target %s installs nothing", target)
		}
		packages, err := exec.Command("../tools/need.sh", append([]string{"--list"}, strings.Fields(needs[1])...)...).Output()
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range strings.Fields(string(packages)) {
			if !strings.Contains(commands, "`"+name+"`") {
				t.Errorf("make %s installs %s, and the README's 'Two commands' does not say so", target, name)
			}
		}
	}
}

// No block pipes into head: it closes the pipe early, and the program that still writes
// into it then fails, now and then. sed -n 1p and cut read to the end.
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

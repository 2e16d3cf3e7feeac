// Package docs is the operators' handbook: how a central and its counters are run, and what
// to do when something is wrong (a runbook for each kind of trouble; the alerts of
// deploy/monitoring name them). The pages are Markdown. The folder design has the documents
// for engineers.
//
// It promises that the commands in the pages work: a test runs every fenced block whose
// language is sh, page by page and in order, in a sandbox of its own. What can't run there
// is fenced as console, and the test lists it with its reason.
//
// The pages enter. They leave as files, and their blocks leave for the test.
package docs

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"
)

//go:embed *.md design/*.md runbooks/*.md
var pages embed.FS

// Pages are all pages, by their path below this folder.
func Pages() fs.FS { return pages }

// Block is a fenced block of a page.
type Block struct {
	Page     string
	Line     int    // of the opening fence
	Language string // sh: run by a test; console: for people
	Text     string // without the fences
}

// Languages of blocks.
const (
	Shell   = "sh"
	Console = "console"
)

const fence = "```"

// Blocks gives the fenced blocks of a page in order. A block without a language, or without
// an end, is an error.
func Blocks(page, text string) ([]Block, error) {
	var all []Block
	var open *Block
	for i, line := range strings.Split(text, "\n") {
		rest, fenced := strings.CutPrefix(strings.TrimSpace(line), fence)
		switch {
		case open == nil && fenced:
			if rest == "" || strings.ContainsAny(rest, " `") {
				return nil, fmt.Errorf("%s:%d: the block's language is %q; want %s where a test can run it, %s where only people can, or a file's own", page, i+1, rest, Shell, Console)
			}
			open = &Block{Page: page, Line: i + 1, Language: rest}
		case open != nil && fenced && rest == "":
			all, open = append(all, *open), nil
		case open != nil:
			open.Text += line + "\n"
		}
	}
	if open != nil {
		return nil, fmt.Errorf("%s:%d: the block has no end", page, open.Line)
	}
	return all, nil
}

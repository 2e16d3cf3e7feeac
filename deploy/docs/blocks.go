// Package docs is what an operator reads: how a house of Galla is run, and what to
// do when something is wrong (runbooks, one for each kind of trouble; the alerts of
// deploy/watch name them). The pages are Markdown.
//
// It promises that the commands in the pages work: a test runs every fenced block
// whose language is sh, page by page and in order, in a sandbox of its own. What
// can't run there is fenced as console, and the test lists it with its reason.
//
// Data enters as the pages; they leave as files, and their blocks to the test.
package docs

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"
)

//go:embed *.md runbooks/*.md
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

// Blocks gives the fenced blocks of a page in their order. A block without a
// language, and one without an end, is an error: nobody would know whether it is
// run.
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

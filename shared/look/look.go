// Package look is how Galla's pages look: the styles and drawings that the
// counter's pages and the operators' console share.
//
// It promises that colour never speaks alone: a shape and a word say the same;
// that contrast is WCAG AA or better; and that everything works on a phone's
// width. Files leave as they are, in two folders:
//
//	static/tokens.css  colours, roundness: what all styles are made of
//	static/base.css    the page itself, its bar, buttons and fields
//	static/pieces.css  lists, alerts, facts, tables, meters, choices
//	static/icon.svg    the picture of a browser's tab
//	icons/<name>.svg   drawings that stand inside of pages, beside words
package look

import (
	"embed"
	"io/fs"
)

//go:embed static icons
var files embed.FS

// Files gives the styles and drawings.
func Files() fs.FS { return files }

// Sheets lists the styles in the order in which pages load them.
func Sheets() []string { return []string{"tokens.css", "base.css", "pieces.css"} }

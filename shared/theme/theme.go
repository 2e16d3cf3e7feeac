// Package theme holds what the counter's pages and the console share: styles, icons, and
// charts as SVG.
//
// Colour is never the only signal: shape and words say the same. Contrast is at least WCAG
// AA, and everything fits a phone. Charts are well-formed markup with escaped texts,
// without scripts, styles or colours: the page's styles colour their classes. A chart has
// a title and a description, and the page puts the same numbers into a table beside it.
//
//	static/tokens.css  colours and radii
//	static/base.css    the page itself, its bar, buttons and fields
//	static/pieces.css  lists, alerts, facts, tables, meters, choices
//	static/dark.css    other values of the colours, for systems that ask for dark pages
//	static/chart.css   charts with a whole axis; a page that has them adds it
//	static/icon.svg    the browser tab's icon
//	icons/<name>.svg   icons to embed into pages, beside words
package theme

import (
	"embed"
	"io/fs"
)

//go:embed static icons
var files embed.FS

// Files returns the styles and icons.
func Files() fs.FS { return files }

// Stylesheets lists the styles in loading order.
func Stylesheets() []string {
	return []string{"tokens.css", "base.css", "pieces.css", "dark.css"}
}

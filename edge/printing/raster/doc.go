// Package raster draws text as bitmaps for receipt printers, whose code pages lack Indian
// scripts.
//
// Devanagari, Bengali, Telugu, Tamil and Latin are shaped by their scripts' rules, with
// embedded fonts (Noto Sans, SIL Open Font Licence, in fonts). A character that no font
// has is drawn as a box; control characters are spaces. Lines break between words, and a
// word wider than the paper between whole clusters. The length of a text is bounded.
//
// Text enters by Render and RenderPair, and leaves as escpos.Bitmap of the paper's width.
// A Typesetter is for one goroutine at a time.
package raster

// Package typeset draws text as bitmaps for receipt printers, whose code pages
// have no Indian script.
//
// What it promises:
//
//   - Devanagari, Bengali, Telugu, Tamil and Latin are shaped as their scripts
//     demand: conjuncts, matras before their consonant, marks in place. The
//     fonts are embedded (Noto Sans, SIL Open Font Licence, in fonts), so that a
//     counter needs none of its own.
//   - A character that no font has is a box, never nothing and never an error;
//     control characters are spaces.
//   - Lines break between words, and a word wider than the paper between whole
//     clusters, never inside one.
//   - Work is bounded by the text's length, which is bounded.
//
// Text enters by Set and Pair, and leaves as escpos.Bitmap of the paper's width.
// A Setter is used by one goroutine at a time.
package typeset

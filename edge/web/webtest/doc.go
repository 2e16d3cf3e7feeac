// Package webtest serves page rooms to tests and looks at them, as a browser
// without scripts (Visitor) and in a real Chromium (Browser).
//
// It promises that each page which a test opens is judged: no text without its
// words, no Aadhaar number in a reply or the log, nothing wider than the window,
// nothing that jumps, on the answer of a form neither, no text that can't be read,
// is cut or spills over, no shortcut that isn't shown, no main action below a desk's
// window, no more than 150 KB, and nothing in which axe-core finds a barrier by
// WCAG 2.2 AA. Rooms enter through Serve, which needs no PIN: GET /enter unlocks.
// With GALLA_SHOTS, every page that is judged is kept as a picture in that folder.
package webtest

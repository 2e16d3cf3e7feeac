// Package uitest serves sections of the counter to tests and checks their pages, as a
// browser without scripts (Client) and in a real Chromium (Browser).
//
// Each page that a test opens is checked: missing texts, Aadhaar numbers in replies and
// log, widths, moving elements, contrast, cut texts, hidden shortcuts, a main action below
// a desktop window, more than 150 KB, and axe-core's rules of WCAG 2.2 AA. Serve serves
// sections without a PIN: GET /enter unlocks. With GALLA_SHOTS, screenshots of all checked
// pages are saved in that folder.
package uitest

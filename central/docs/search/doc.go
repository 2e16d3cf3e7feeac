// Package search finds sections of the handbook by words, inside the program: it asks
// nobody else.
//
// New reads the sections once. Find answers a query with sections in the order of their
// rank: a word of a heading counts more than one of a page's title, that more than the first
// cell of a table's row, and that more than one of the text; rare words count more than
// frequent ones. A word of a query also finds its other forms (restore, restored), the words
// that begin with it and, if there is none, words with one wrong letter. Numbers are found as
// they are, so 91 finds the code 91 and not 1910.
//
// Why it is no library: bleve was tried (November 2026). It finds typos better, but a query cost
// up to 75 ms of the processor in place of 2, at an address that asks for no sign-in and beside
// the path of money; it adds 14 modules and 6 MB to the program; and the rules of this handbook
// (whole names, codes as they are, all words first) stayed as long as the engine that they
// replaced.
//
// Data enters as sections and queries. It leaves as results, whose texts are plain: whoever
// shows them escapes them. The work for a query is bounded by MaxQuery and maxWords. An
// Index is safe for concurrent use.
package search

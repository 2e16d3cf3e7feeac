// Package truth is the pages of all operations: what is queued, on its way,
// without an answer and settled, with words for what it means and what to do;
// the history by day, the search, and a day as a file.
//
// It promises that an operation without an outcome, or whose cash is open
// (edge.Cash), stands on top of the first page, whatever its day, and stays there
// until it has one, or is counted there where there are many; that a page shows what the counter's queue holds and
// never what was hoped; and that what may be an Aadhaar number or a mobile number
// is looked for, but never shown again, nor put into a URL or a log.
//
// Operations enter from the counter and its till; they leave as pages, in the
// words of package told, and as a CSV file that holds masked numbers only.
package truth

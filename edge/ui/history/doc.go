// Package history holds the pages of all operations: unfinished operations, with what they
// mean and what to do; the history by day; the search; and a day as a CSV file.
//
// An operation without a final outcome, or with open cash (edge.Cash), is listed or
// counted at the top of the first page, whatever its day. What may be an Aadhaar or mobile
// number is searched for, but never shown again or put into a URL or log. Operations come
// from the counter and the cashbook; the CSV file holds masked numbers only.
package history

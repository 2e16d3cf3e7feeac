// Package docs builds the pages for people that the central serves: the guide to
// the gateway for partners ('Integrate in an afternoon') and the handbook. The page that
// sends calls to a sandbox is in package tryit.
//
// GatewayGuide shows one message step by step, in five languages, with common
// mistakes and every refusal. Each byte of it is computed by the code of both ends
// (shared/envelope) from a fixed key, IV and time; the keys are the sandbox's.
//
// Handbook turns the documents of deploy/docs into pages, and answers searches in them and in
// the other pages (package search). It promises that every link between documents leads to a
// page and to a heading of it, that a page loads nothing from elsewhere, that each page is in
// the list of all pages, and that what scrolls can be reached by keyboard. It leaves out
// pictures that stand alone, and links to files of the repository that are no documents. A
// broken link, HTML or a picture in a sentence is an error at the central's start.
//
// Data enters as a file system of Markdown files, and as queries. It leaves as HTML with one
// style element (Style) and one script element (Script), whose hashes the
// Content-Security-Policy of httpapi names. The script moves the focus to the search; all
// else works without it: what folds on phones is a details element.
package docs

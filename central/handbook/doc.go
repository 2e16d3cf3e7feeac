// Package handbook makes pages for people of the documents under deploy/docs:
// install, enrol, operate, recover, integrate, and the runbooks.
//
// It promises that what it serves holds together: every link between the documents
// leads to a page and to a heading of it, and nothing is shown that would have to be
// fetched from elsewhere or that is no plain Markdown, such as HTML or a picture.
// Where that is not so, it is an error when the pages are made, which is at the
// central's start.
//
// Data enters as a file system of Markdown files, which the program brings; it
// leaves as HTML without script, image or address elsewhere, with one style element
// whose text the caller gives, for the door's Content-Security-Policy.
package handbook

// Package docs builds the pages for people that the central serves: the guide to
// the gateway for partners ('Integrate in an afternoon') and the handbook. The page that
// sends calls to a sandbox is in package tryit.
//
// GatewayGuide shows one message step by step, in five languages, with common
// mistakes and every refusal. Each byte of it is computed by the code of both ends
// (shared/envelope) from a fixed key, IV and time; the keys are the sandbox's.
//
// Handbook turns the documents of deploy/docs into pages. It promises that every
// link between documents leads to a page and to a heading of it, and that a page
// loads nothing from elsewhere. It leaves out pictures that stand alone. A broken link,
// HTML or a picture in a sentence is an error at the central's start.
//
// Data enters as a file system of Markdown files. It leaves as HTML without script,
// image or other resource, with one style element (Style), whose hash the
// Content-Security-Policy of httpapi names.
package docs

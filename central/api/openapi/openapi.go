// Package openapi has the description of the interface: an OpenAPI 3.1 document for
// programs, one page for people, calls that a page sends, and a collection for Postman.
//
// All files but released.json, the last release's document, are generated from the route
// table that serves, from the fields that the handler reads, and from the texts in
// openapitest/data. A change of any of them needs new files: go test ./central/api/openapi/openapitest -update. Without that, the test
// fails there.
//
// They hold no Aadhaar number of a person, no biometric, and no credential that works
// outside the sandbox.
package openapi

import (
	_ "embed"

	"github.com/go-json-experiment/json/jsontext"

	"galla/central/docs"
)

//go:embed openapi.json
var document string

//go:embed postman.json
var collection []byte

//go:embed postman-environment.json
var environment []byte

//go:embed samples.json
var samples []byte

//go:embed docs.html
var page string

//go:embed page.css
var style string

// JSON is the OpenAPI 3.1 document, without white space.
func JSON() ([]byte, error) {
	text := jsontext.Value(document)
	return text, text.Compact()
}

// Collection is the interface as a collection of Postman, and Environment the sandbox that
// it calls.
func Collection() []byte { return collection }

// Environment is the sandbox as an environment of Postman; its secrets are public.
func Environment() []byte { return environment }

// Samples are calls of every route that succeed at a fresh sandbox, as JSON for the page
// that sends them (package tryit).
func Samples() []byte { return samples }

// Page is the interface as one HTML page. It needs no other resource; its one style element
// has the text of Style, its one script element that of docs.Script.
func Page() []byte { return []byte(page) }

// Style is the text of the page's style element, for the hash in a
// Content-Security-Policy.
func Style() string { return docs.Style() + style }

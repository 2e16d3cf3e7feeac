// Package generate writes the typed parts of the SDKs: it reads the OpenAPI document into a
// model that knows no language (model.go), and a writer for each language makes source text
// of it. The files are checked in; a test fails while they are older than the document.
// make sdk-sources writes them.
package generate

// Package openapi describes the interface: as an OpenAPI 3.1 document for programs
// and as one page for people, both generated from the route table that serves.
//
// What the code has is read from the code: the routes, their roles and entrances
// (op.Table), the fields of each (Handler.Describe), and the HTTP status and
// statusCode of each error. The rest is data: data/*.json has a summary, a few
// sentences and the replies of every route, data/fields.json an example and the
// meaning of every field, and data/schemas.json the objects of replies. New fails
// if they do not match: a route or a field without words, words for a field that
// is not read, an example that breaks its own schema.
//
// It promises that the same code gives the same bytes, and that no example holds
// an Aadhaar number, a biometric, or a credential that works outside the sandbox.
//
// Data enters as a Describer and the route table. It leaves as JSON, as the page
// (Page, with its Style), and as CheckReply, with which tests compare every reply
// of a server with the document.
package openapi

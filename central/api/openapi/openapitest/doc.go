// Package openapitest generates the files of package openapi, and compares replies of a
// server with them, in tests.
//
// What the code has is read from the code: the routes, their roles and entrances
// (op.Table), the fields of each (Handler.Describe), and the HTTP status and
// statusCode of each error. The rest is data: data/*.json has a summary, a few
// sentences and the replies of every route, data/fields.json an example and the
// meaning of every field, and data/schemas.json the objects of replies. New fails
// if they do not match: a route or a field without a text, a text for a field that
// is not read, an example that breaks its own schema.
//
// It promises that the same code gives the same bytes.
//
// Data enters as a Describer and the route table. It leaves as JSON, as the page, and
// as CheckReply, with which tests compare every reply of a server with the document.
package openapitest

// Package openapi describes the interface: as an OpenAPI 3.1 document for
// programs and as one page for people, both made of the route table that
// serves.
//
// What code knows is read from the code: which routes there are, who may call
// them and through which doors (op.Table), which fields each reads and what it
// accepts (Dispatcher.Describe), and which HTTP status and statusCode each kind
// of error has (contract.Renderer). What code cannot know stands beside it as
// data: data/*.json has a summary, a few sentences and the replies of every
// route, data/fields.json an example and the meaning of every field, and
// data/schemas.json the objects that replies are made of. New fails where the
// two do not match: a route or a field without words, words for a field that is
// not read, an example that breaks its own schema.
//
// It promises that the same code gives the same bytes, and that no example
// holds an Aadhaar number, a biometric or a credential that works anywhere but
// in the sandbox.
//
// Data enters as a Describer and the route table. It leaves as the document's
// bytes (JSON), as the page (Page, with its Style), and as the judgement of
// Check on a reply that a server gave, so that a test can hold every reply
// against what the document says.
package openapi

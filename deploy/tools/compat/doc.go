// Package compat compares two versions of the interface's OpenAPI document.
//
// It promises that a change after which a partner's program could fail is found: a route,
// a field or a value that is gone, a new field that is required, another type. Additions
// pass. github.com/oasdiff/oasdiff judges (Apache 2.0); it has a module of its own here,
// since it brings modules that no program of Galla needs.
//
// Two documents enter. A list of sentences leaves, one for each breaking change.
package compat

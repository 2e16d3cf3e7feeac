// Package s3 writes files into a bucket of an S3-compatible object store.
//
// It promises that an object is written as a whole or not at all, and that an object that is
// there is never replaced: Put asks the server to refuse that (If-None-Match), and looks before
// it, for servers that do not know the condition. Each object carries its SHA-256; Sum gives it,
// and reads an object that carries none.
//
// Data enters as files, and leaves over HTTP to the server. The credentials are read from a
// file at each use, so that new ones need no restart. They are in no error and no text.
package s3

// Package guide holds the agent's guide: what agents do at the counter in a day, in the
// languages of the counter, with pictures of its pages.
//
// The texts are in the folder text, one file for each language; all show the same pictures.
// The pictures are in the folder pictures, which 'make guide' fills from a running sandbox.
// Read makes the guide of one language for a page, which says where its pictures are; the
// counter's page and the files of 'make guide' are made of it.
package guide

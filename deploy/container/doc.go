// Package container is the central as an image: the Containerfile, and a test that
// builds it with buildah and runs the program in it as an engine would, with a
// root that can't be written, as the image's own user. It has no code of its own.
//
// The test promises that there is nothing in the image but the program, whom it
// trusts and who it is. No registry is asked: the builder's image is made of this
// machine's own compiler. Data enters as the Containerfile and the tree; nothing
// leaves.
package container

// Package container packs the central as an image. It holds the Containerfile, and a
// test that builds the image with buildah and runs the program in it as a container
// engine does: read-only root, the image's own user.
//
// The test promises that the image holds only the program, its certificate roots and
// its user. It asks no registry: the builder's image is made from this machine's
// compiler. The Containerfile and the source tree enter; nothing leaves.
package container

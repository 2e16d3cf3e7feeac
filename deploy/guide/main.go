// Command guide writes the agent's guide and the gallery from the pictures that
// TestGallery of deploy/test/e2e and the browser tests of edge/ui take, so that the guide
// shows the real pages.
//
// It fails if a picture that a text names is missing. The English and the Hindi guide have
// the same content. Texts are in the folder text, one file for each language; pictures are
// in the given folder. The output is plain HTML with its pictures, for browsers and for
// printing.
//
//	guide -pictures build/gallery/sandbox -out deploy/docs/agents-guide
//	guide -gallery build/gallery
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
)

func main() {
	pictures := flag.String("pictures", "", "folder of the pictures that the guide is made of")
	out := flag.String("out", "", "folder that the guide is written to")
	gallery := flag.String("gallery", "", "folder of pictures, by section, that gets an index")
	flag.Parse()
	if err := run(*pictures, *out, *gallery); err != nil {
		fmt.Fprintf(os.Stderr, "guide: %v\n", err)
		os.Exit(1)
	}
}

func run(pictures, out, gallery string) error {
	switch {
	case gallery != "":
		return writeGallery(os.DirFS(gallery), gallery)
	case pictures != "" && out != "":
		return write(os.DirFS(pictures), out)
	}
	return errors.New("give -pictures and -out for the guide, or -gallery for the index of a gallery")
}

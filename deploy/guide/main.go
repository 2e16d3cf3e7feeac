// Command guide puts the pictures of the agent's guide into the counter's program, writes the
// guide as files for those who read it elsewhere, and writes the index of the gallery.
//
// TestGallery of deploy/test/e2e takes the pictures, so that the guide shows the real pages.
// The texts are those of package guide of the counter. The command fails if a picture that
// they name is missing, and removes those that they do not name. The files are plain HTML
// with their pictures, for browsers and for printing.
//
//	guide -pictures build/guide -into edge/ui/help/guide/pictures
//	guide -out deploy/docs/agents-guide
//	guide -gallery build/gallery
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
)

func main() {
	pictures := flag.String("pictures", "", "folder of the pictures that were taken for the guide")
	into := flag.String("into", "", "folder of the program that they go into")
	out := flag.String("out", "", "folder that the guide is written to, with the program's pictures")
	gallery := flag.String("gallery", "", "folder of pictures, by section, that gets an index")
	flag.Parse()
	if err := run(*pictures, *into, *out, *gallery); err != nil {
		fmt.Fprintf(os.Stderr, "guide: %v\n", err)
		os.Exit(1)
	}
}

func run(pictures, into, out, gallery string) error {
	switch {
	case gallery != "":
		return writeGallery(os.DirFS(gallery), gallery)
	case pictures != "" && into != "":
		return embedPictures(os.DirFS(pictures), into)
	case out != "":
		return write(out)
	}
	return errors.New("give -pictures and -into for the program's pictures, -out for the guide's files, or -gallery for the index of a gallery")
}

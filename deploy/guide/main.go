// Command guide writes the agent's guide and the gallery from the pictures that
// TestGallery of deploy/e2e and the rooms' own browser tests leave: what an agent
// reads is what the counter really shows.
//
// It promises that no picture that a text names is missing, and that the guide
// says the same in English and Hindi. Texts enter from the folder text, one file
// a language; pictures from the folder that is given; both leave as plain HTML
// with the pictures beside it, for a browser or for paper.
//
//	guide -pictures build/gallery/house -out deploy/docs/agents-guide
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
	gallery := flag.String("gallery", "", "folder of pictures, by room, that gets an index")
	flag.Parse()
	if err := run(*pictures, *out, *gallery); err != nil {
		fmt.Fprintf(os.Stderr, "guide: %v\n", err)
		os.Exit(1)
	}
}

func run(pictures, out, gallery string) error {
	switch {
	case gallery != "":
		return hangAll(os.DirFS(gallery), gallery)
	case pictures != "" && out != "":
		return write(os.DirFS(pictures), out)
	}
	return errors.New("say -pictures and -out for the guide, or -gallery for the index of a gallery")
}

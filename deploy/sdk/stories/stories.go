// Package stories has complete stories of a partner's program, for galla-call story:
// each is one JSON file of requests in their order, with the capture and the one-time
// passwords that they need from the sandbox. They are examples to copy, and a test of
// galla-call plays each against a fresh sandbox. integrate.md describes the format.
package stories

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

//go:embed *.json
var files embed.FS

// ErrUnknown says that no story has a name.
var ErrUnknown = errors.New("there is no such story")

// extension is that of a story's file.
const extension = ".json"

// Names lists the stories, in the order of the alphabet.
func Names() []string {
	found, err := fs.Glob(files, "*"+extension)
	if err != nil {
		panic(err) // the pattern is a constant
	}
	for i, file := range found {
		found[i] = strings.TrimSuffix(file, extension)
	}
	return found
}

// Read returns the text of a story. ErrUnknown.
func Read(name string) ([]byte, error) {
	text, err := files.ReadFile(name + extension)
	if err != nil {
		return nil, fmt.Errorf("%w as %s: there are %s; write a file's name with its %s", ErrUnknown, name, strings.Join(Names(), ", "), extension)
	}
	return text, nil
}

package generate

import (
	"fmt"
	"path"
)

// Writer writes the typed part of one SDK.
type Writer struct {
	Name   string                                 // of the language
	Folder string                                 // below deploy/sdk
	Whole  string                                 // a folder below Folder with written files only; empty: none
	Write  func(Model) (map[string][]byte, error) // texts by their paths below Folder
}

// Writers lists the languages.
func Writers() []Writer {
	return []Writer{
		{Name: "node", Folder: "node", Write: Node},
		{Name: "go", Folder: "go", Write: GoModule},
		{Name: "python", Folder: "python", Write: Python},
		{Name: "php", Folder: "php", Whole: "src/Data", Write: PHP},
		{Name: "java", Folder: "java", Write: Java},
	}
}

// Files gives all written files, by their paths below deploy/sdk.
func Files(m Model) (map[string][]byte, error) {
	all := map[string][]byte{}
	for _, w := range Writers() {
		files, err := w.Write(m)
		if err != nil {
			return nil, fmt.Errorf("write the SDK of %s: %w", w.Name, err)
		}
		for name, text := range files {
			all[path.Join(w.Folder, name)] = text
		}
	}
	return all, nil
}

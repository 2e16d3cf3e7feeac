package installers

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
)

//go:embed trust
var trust embed.FS

// Root is the root of trust of releases that is built into the program: the
// publishers' newest root.json when it was built; nil where there was none.
func Root() ([]byte, error) {
	text, err := trust.ReadFile("trust/root.json")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the root of trust that is built in: %w", err)
	}
	return text, nil
}

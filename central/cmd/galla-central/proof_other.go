//go:build !linux

package main

import (
	"context"
	"errors"
	"os"
)

// isTerminal tells whether a person types there; nobody can tell here, so that
// what is typed would be shown: it is read as two lines.
func isTerminal(*os.File) bool { return false }

// hideInput is not needed where there is no terminal.
func hideInput(context.Context, *os.File) (func() error, error) {
	return nil, errors.New("the terminal of this system can't hide what is typed")
}

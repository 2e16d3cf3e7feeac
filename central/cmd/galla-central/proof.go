package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"galla/central/office"
	"galla/shared/secret"
)

// maxProofLine bounds a line of what somebody signs in with, in bytes.
const maxProofLine = 1 << 10

// errProof says how a person proves who it is.
var errProof = errors.New("who takes a step of a case signs in as at the console: the password and the code of now are asked for at a terminal, or read as two lines of the standard input")

// prove asks who runs a command for the password and the code of the console: at a
// terminal with a prompt and without showing the password, otherwise as two lines.
// They are no flags and no environment: others could read those.
func prove(ctx context.Context, login string, in io.Reader, prompts io.Writer) (office.Proof, error) {
	lines := bufio.NewReaderSize(in, maxProofLine)
	ask := func(string) {}
	password := func() (string, error) { return proofLine(lines) }
	if tty, ok := in.(*os.File); ok && isTerminal(tty) {
		ask = func(what string) { fmt.Fprintf(prompts, "%s of %s: ", what, login) }
		password = func() (string, error) {
			show, err := hideInput(ctx, tty)
			if err != nil {
				return "", err
			}
			text, err := proofLine(lines)
			fmt.Fprintln(prompts)
			return text, errors.Join(err, show())
		}
	}
	ask("Password")
	p, err := password()
	if err != nil {
		return office.Proof{}, err
	}
	ask("Code")
	code, err := proofLine(lines)
	if err != nil {
		return office.Proof{}, err
	}
	return office.Proof{Login: login, Password: secret.NewToken(p), Code: secret.NewOTP(strings.TrimSpace(code))}, nil
}

// proofLine reads a line that is not empty.
func proofLine(in *bufio.Reader) (string, error) {
	line, err := in.ReadSlice('\n')
	text := strings.TrimRight(string(line), "\r\n")
	switch {
	case err != nil && !errors.Is(err, io.EOF), text == "":
		return "", errProof
	}
	return text, nil
}

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"galla/central/admincli"
	"galla/shared/secret"
)

// maxCredentialLine bounds a line with a password or a code, in bytes.
const maxCredentialLine = 1 << 10

// errCredentials says how to give password and code.
var errCredentials = errors.New("a step of a case needs a sign-in as at the console: password and current code are asked for at a terminal, or read as two lines of the standard input")

// readCredentials reads the password and the code of the console: at a terminal with a
// prompt, without showing the password, otherwise as two lines. They are not flags or
// environment variables because others could read those.
func readCredentials(ctx context.Context, login string, in io.Reader, prompts io.Writer) (admincli.Credentials, error) {
	lines := bufio.NewReaderSize(in, maxCredentialLine)
	ask := func(string) {}
	password := func() (string, error) { return readCredentialLine(lines) }
	if tty, ok := in.(*os.File); ok && term.IsTerminal(int(tty.Fd())) {
		ask = func(what string) { fmt.Fprintf(prompts, "%s of %s: ", what, login) }
		password = func() (string, error) { return readHidden(ctx, int(tty.Fd()), prompts) }
	}
	ask("Password")
	p, err := password()
	if err != nil {
		return admincli.Credentials{}, err
	}
	ask("Code")
	code, err := readCredentialLine(lines)
	if err != nil {
		return admincli.Credentials{}, err
	}
	return admincli.Credentials{Login: login, Password: secret.NewToken(p), Code: secret.NewOTP(strings.TrimSpace(code))}, nil
}

// readHidden reads a line of a terminal without showing it. An interrupt restores the
// terminal and exits: the command has done nothing so far.
func readHidden(ctx context.Context, fd int, prompts io.Writer) (string, error) {
	state, err := term.GetState(fd)
	if err != nil {
		return "", fmt.Errorf("read the terminal's state: %w", err)
	}
	stop := context.AfterFunc(ctx, func() {
		_ = term.Restore(fd, state)
		fmt.Fprintln(prompts, "\ngalla-central: interrupted; nothing was done")
		os.Exit(1)
	})
	text, err := term.ReadPassword(fd)
	fmt.Fprintln(prompts)
	switch {
	case !stop():
		return "", errors.New("interrupted; nothing was done")
	case err != nil, len(text) == 0, len(text) > maxCredentialLine:
		return "", errCredentials
	}
	return string(text), nil
}

// readCredentialLine reads a line; an empty one is an error.
func readCredentialLine(in *bufio.Reader) (string, error) {
	line, err := in.ReadSlice('\n')
	text := strings.TrimRight(string(line), "\r\n")
	switch {
	case err != nil && !errors.Is(err, io.EOF), text == "":
		return "", errCredentials
	}
	return text, nil
}

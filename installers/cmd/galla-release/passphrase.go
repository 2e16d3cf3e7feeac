package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"

	"golang.org/x/term"

	"galla/installers/publish"
	"galla/shared/files"
	"galla/shared/secret"
)

// Bounds of a passphrase, in bytes: the key's file may be copied and tried against
// guesses for years.
const (
	minPassphrase = 12
	maxPassphrase = 1 << 10
)

// passphrases gives passphrases out of a file, or, where none is named, from whoever
// sits at the terminal. All keys that one command makes get the same.
func passphrases(file string) publish.AskPassphrase {
	var fresh *secret.Key
	return func(key string, made bool) (secret.Key, error) {
		if made && fresh != nil {
			return *fresh, nil
		}
		text, err := passphrase(file, key, made)
		if err != nil {
			return secret.Key{}, err
		}
		if made && len(text) < minPassphrase {
			return secret.Key{}, fmt.Errorf("a passphrase of %d characters can be guessed: take %d or more, such as five words", len(text), minPassphrase)
		}
		given := secret.NewKey(text)
		if made {
			fresh = &given
		}
		return given, nil
	}
}

func passphrase(file, key string, made bool) ([]byte, error) {
	if file == "" {
		return askAtTerminal(key, made)
	}
	text, err := files.ReadBounded(file, maxPassphrase)
	if err != nil {
		return nil, fmt.Errorf("read the passphrase: %w", err)
	}
	if text = bytes.TrimRight(text, "\r\n"); len(text) == 0 {
		return nil, fmt.Errorf("the passphrase in %s is empty", file)
	}
	return text, nil
}

// askAtTerminal asks the person, whose typing is not shown; for a new one twice.
func askAtTerminal(key string, made bool) ([]byte, error) {
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return nil, errors.New("there is no terminal to ask for it: name its file with --passphrase-file")
	}
	defer func() { _ = tty.Close() }()
	ask := func(what string) ([]byte, error) {
		_, _ = fmt.Fprintf(tty, "%s: ", what)
		text, err := term.ReadPassword(int(tty.Fd()))
		_, _ = fmt.Fprintln(tty)
		if err != nil {
			return nil, fmt.Errorf("read the passphrase: %w", err)
		}
		return text, nil
	}
	if !made {
		return ask("passphrase of " + key)
	}
	text, err := ask("new passphrase of " + key + ", and of all others that are made now")
	if err != nil {
		return nil, err
	}
	again, err := ask("once more")
	if err == nil && !bytes.Equal(text, again) {
		err = errors.New("the two are not the same; no key was made")
	}
	return text, err
}

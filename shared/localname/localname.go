// Package localname gives an installation a host name of its own on this
// machine, galla-<16 letters and digits>.localhost, and holds requests against it.
//
// A browser keeps cookies by host name and not by port: a session cookie of
// 127.0.0.1 or of localhost goes to every program that listens there, whoever
// started it. A random name that only this installation answers to has cookies
// that go nowhere else. Browsers lead every name below .localhost to the loopback
// interface without asking a name server (RFC 6761 §6.3).
//
// The name stands in a file of the data folder that its owner alone can read,
// and stays the same from start to start, so that a bookmark and a shortcut keep
// working. It is no password: who learns it still has to sign in. But it is not
// told to strangers either: a page that is asked for under another name says how
// to find it, never what it is.
//
//	name, err := localname.Ensure(dataFolder, rand.Reader)
//	localname.URL(name, 8080)           // http://galla-….localhost:8080/
//	localname.Is(r.Host, name, 8080)    // may this request have a session?
package localname

import (
	"bytes"
	"crypto/subtle"
	"encoding/base32"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"galla/shared/seal"
)

// File is what the file of the name is called in a data folder.
const File = "localname"

// drawn is how many random bytes a name has: 80 bits, 16 characters of base32.
const drawn = 10

var (
	letters = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)
	form    = regexp.MustCompile(`^galla-[a-z2-7]{16}\.localhost$`)
)

// Valid tells whether a text is a name of this kind.
func Valid(name string) bool { return form.MatchString(name) }

// Read gives the name of the installation that has this data folder. Where none
// has been made yet the error is fs.ErrNotExist.
func Read(folder string) (string, error) {
	path := filepath.Join(folder, File)
	text, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("read the installation's local name: %w", err)
	}
	name := string(bytes.TrimSpace(text))
	if !Valid(name) {
		return "", fmt.Errorf("the file %s must hold a name such as galla-abcdefghijklmnop.localhost; remove the file, and the next start makes a new name", path)
	}
	return name, nil
}

// Ensure gives the name of the installation that has this data folder, and makes
// one where there is none: the file with mode 0600, the folder with 0700. Of
// several processes that start at the same moment one makes the name and all
// read the same.
func Ensure(folder string, rand io.Reader) (string, error) {
	name, err := Read(folder)
	if !errors.Is(err, fs.ErrNotExist) {
		return name, err
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", fmt.Errorf("make the folder of the local name: %w", err)
	}
	raw := make([]byte, drawn)
	if _, err := io.ReadFull(rand, raw); err != nil {
		return "", fmt.Errorf("draw a local name: %w", err)
	}
	if err := seal.WriteOnce(filepath.Join(folder, File), []byte("galla-"+letters.EncodeToString(raw)+".localhost\n")); err != nil {
		return "", fmt.Errorf("keep the local name: %w", err)
	}
	return Read(folder)
}

// URL is the address that a browser opens for a program on this port.
func URL(name string, port int) string { return "http://" + hostPort(name, port) + "/" }

// Is tells whether a request's Host header is this name with this port, as a
// browser writes it: the port is left out where it is 80. Upper and lower case
// are the same. An empty name is nobody's.
func Is(host, name string, port int) bool {
	return name != "" && subtle.ConstantTimeCompare([]byte(strings.ToLower(host)), []byte(strings.ToLower(hostPort(name, port)))) == 1
}

func hostPort(name string, port int) string {
	if port == 80 {
		return name
	}
	return name + ":" + strconv.Itoa(port)
}

// Package localname gives an installation its own host name on this machine,
// galla-<16 letters and digits>.localhost, and checks requests against it.
//
// A browser stores cookies by host name and not by port: a session cookie of 127.0.0.1
// or localhost is sent to every program that listens there. The cookies of a random
// name are sent to this installation only. Browsers resolve every name below
// .localhost to the loopback interface without a name server (RFC 6761 §6.3).
//
// The name is in a file of the data folder that only its owner can read, and stays the
// same, so that bookmarks and shortcuts keep working. It is no password, but it is not
// disclosed either: a request under another name gets a page that says how to find it.
//
//	name, err := localname.Ensure(dataFolder, rand.Reader)
//	localname.URL(name, 8080)             // http://galla-….localhost:8080/
//	localname.Matches(r.Host, name, 8080) // may this request have a session?
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

	"galla/shared/files"
)

// File is the name of the file in a data folder.
const File = "localname"

// randomBytes is how many random bytes a name has: 80 bits, 16 characters of base32.
const randomBytes = 10

var (
	letters = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)
	pattern = regexp.MustCompile(`^galla-[a-z2-7]{16}\.localhost$`)
)

// Valid reports whether a text is a name of this kind.
func Valid(name string) bool { return pattern.MatchString(name) }

// Read returns the name of the installation with this data folder. If there is none
// yet, the error is fs.ErrNotExist.
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

// Ensure returns the name of the installation with this data folder, and makes one if
// there is none: the file with mode 0600, the folder with 0700. If several processes
// start at the same moment, one makes the name and all read the same.
func Ensure(folder string, rand io.Reader) (string, error) {
	name, err := Read(folder)
	if !errors.Is(err, fs.ErrNotExist) {
		return name, err
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", fmt.Errorf("make the folder of the local name: %w", err)
	}
	raw := make([]byte, randomBytes)
	if _, err := io.ReadFull(rand, raw); err != nil {
		return "", fmt.Errorf("draw a local name: %w", err)
	}
	if err := files.WriteOnce(filepath.Join(folder, File), []byte("galla-"+letters.EncodeToString(raw)+".localhost\n"), 0o600); err != nil {
		return "", fmt.Errorf("store the local name: %w", err)
	}
	return Read(folder)
}

// URL is the address that a browser opens for a program on this port.
func URL(name string, port int) string { return "http://" + hostPort(name, port) + "/" }

// Matches reports whether a request's Host header is this name with this port, as a
// browser writes it: without port 80. Upper and lower case are the same. An empty name
// never matches.
func Matches(host, name string, port int) bool {
	return name != "" && subtle.ConstantTimeCompare([]byte(strings.ToLower(host)), []byte(strings.ToLower(hostPort(name, port)))) == 1
}

func hostPort(name string, port int) string {
	if port == 80 {
		return name
	}
	return name + ":" + strconv.Itoa(port)
}

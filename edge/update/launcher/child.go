package launcher

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"sync"

	"galla/edge/update/release"
)

// EnvVar is the variable that marks a child of the launcher, and Protocol its
// value: the version of their messages.
const (
	EnvVar   = "GALLA_LAUNCHER"
	Protocol = "1"
)

// linePrefix begins each line for the launcher.
const linePrefix = "galla-child/" + Protocol + " "

// Words of the lines.
const (
	kindHealthy = "healthy"
	kindSwitch  = "switch"
)

// maxLine bounds a line, in bytes; a message is shorter.
const maxLine = 256

// Child is the child's end. Its methods may be called from many goroutines.
type Child struct {
	in  io.Reader
	mu  sync.Mutex
	out io.Writer
}

// Attach returns the child's side, or nil where no launcher started this program.
func Attach(getenv func(string) string, in io.Reader, out io.Writer) *Child {
	if getenv(EnvVar) != Protocol {
		return nil
	}
	return &Child{in: in, out: out}
}

// Wait returns when the launcher stops the child, or has died.
func (c *Child) Wait() { _, _ = io.Copy(io.Discard, c.in) } // an error is an end, too

// Healthy reports to the launcher that this release, version, works.
func (c *Child) Healthy(version release.Version) error { return c.send(kindHealthy, version) }

// Switch asks the launcher to start another release in place of this one, which it
// stops then.
func (c *Child) Switch(to release.Version) error { return c.send(kindSwitch, to) }

func (c *Child) send(word string, v release.Version) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, err := fmt.Fprintf(c.out, "%s%s %s\n", linePrefix, word, v); err != nil {
		return fmt.Errorf("send %q to the launcher: %w", word, err)
	}
	return nil
}

// message is one message of a child.
type message struct {
	kind    string
	version release.Version
}

// readMessages reads a child's output until it ends. Lines that are no message are
// dropped.
func readMessages(r io.Reader, hear func(message)) {
	lines := bufio.NewReaderSize(r, maxLine)
	for {
		line, long, err := lines.ReadLine()
		for whole := !long; !whole && err == nil; whole = !long {
			_, long, err = lines.ReadLine()
			line = nil
		}
		if s, ok := parseMessage(string(line)); ok {
			hear(s)
		}
		if err != nil {
			return
		}
	}
}

func parseMessage(line string) (message, bool) {
	rest, ok := strings.CutPrefix(line, linePrefix)
	word, text, _ := strings.Cut(rest, " ")
	v, err := release.ParseVersion(text)
	return message{word, v}, ok && err == nil && (word == kindHealthy || word == kindSwitch)
}

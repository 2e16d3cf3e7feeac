package parent

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"sync"

	"galla/edge/release"
)

// Env is the variable that tells a program that it is a child, and Protocol its
// value: what parent and child say to each other.
const (
	Env      = "GALLA_PARENT"
	Protocol = "1"
)

// prefix begins each line that is for the parent.
const prefix = "galla-child/" + Protocol + " "

// Words of the lines.
const (
	wordHealthy = "healthy"
	wordSwitch  = "switch"
)

// maxLine bounds a line, in bytes; a word and a version are shorter.
const maxLine = 256

// Child is the child's end. Its methods may be called from many goroutines.
type Child struct {
	in  io.Reader
	mu  sync.Mutex
	out io.Writer
}

// Attach gives the child's end, or nil where no parent has started this program.
func Attach(getenv func(string) string, in io.Reader, out io.Writer) *Child {
	if getenv(Env) != Protocol {
		return nil
	}
	return &Child{in: in, out: out}
}

// Wait returns when the parent wants the child to stop, or has died.
func (c *Child) Wait() { _, _ = io.Copy(io.Discard, c.in) } // an error is an end, too

// Healthy tells the parent that this release, which is version, works.
func (c *Child) Healthy(version release.Version) error { return c.say(wordHealthy, version) }

// Switch asks the parent to start another release in this one's place. Where the
// parent does, it stops this one.
func (c *Child) Switch(to release.Version) error { return c.say(wordSwitch, to) }

func (c *Child) say(word string, v release.Version) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, err := fmt.Fprintf(c.out, "%s%s %s\n", prefix, word, v); err != nil {
		return fmt.Errorf("tell the parent %q: %w", word, err)
	}
	return nil
}

// said is one thing that a child says.
type said struct {
	word    string
	version release.Version
}

// listen reads what a child says until its output ends. What is nothing for the
// parent is dropped.
func listen(r io.Reader, hear func(said)) {
	lines := bufio.NewReaderSize(r, maxLine)
	for {
		line, long, err := lines.ReadLine()
		for whole := !long; !whole && err == nil; whole = !long {
			_, long, err = lines.ReadLine()
			line = nil
		}
		if s, ok := parse(string(line)); ok {
			hear(s)
		}
		if err != nil {
			return
		}
	}
}

func parse(line string) (said, bool) {
	rest, ok := strings.CutPrefix(line, prefix)
	word, text, _ := strings.Cut(rest, " ")
	v, err := release.ParseVersion(text)
	return said{word, v}, ok && err == nil && (word == wordHealthy || word == wordSwitch)
}

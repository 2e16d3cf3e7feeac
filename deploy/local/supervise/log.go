//go:build unix

package supervise

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
)

// Limits of the logs.
const (
	maxLine   = 64 << 10 // bytes of one line before it is broken: more is a dump, not a line
	maxLog    = 32 << 20 // bytes of a log file before it is renamed to <name>.log.1
	linesKept = 12       // last lines kept for an error text
)

// screen takes whole lines of all programs.
type screen struct {
	mu  sync.Mutex
	out io.Writer
}

func (s *screen) write(b []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, _ = s.out.Write(b) // a closed terminal is no reason to stop the programs
}

// logFile writes one program's output, line by line: to its file, and with its name
// before each line to the screen.
type logFile struct {
	path   string
	screen *screen
	prefix string

	mu   sync.Mutex
	file *os.File
	size int64
	part []byte // of a line that has not ended
	last []string
}

func openLog(path string, out *screen, name string) (*logFile, error) {
	l := &logFile{path: path, screen: out, prefix: fmt.Sprintf("%-7s | ", name)}
	if err := l.open(); err != nil {
		return nil, err
	}
	return l, nil
}

func (l *logFile) open() error {
	f, err := os.OpenFile(l.path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("open the log: %w", err)
	}
	info, err := f.Stat()
	if err != nil {
		_ = f.Close()
		return fmt.Errorf("open the log: %w", err)
	}
	l.file, l.size = f, info.Size()
	return nil
}

// Write never fails: a full disk must not end the program that writes.
func (l *logFile) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.part = append(l.part, b...)
	for {
		i := bytes.IndexByte(l.part, '\n')
		switch {
		case i >= 0:
			l.line(l.part[:i])
			l.part = l.part[i+1:]
		case len(l.part) > maxLine:
			l.line(l.part)
			l.part = nil
		default:
			return len(b), nil
		}
	}
}

func (l *logFile) line(b []byte) {
	text := strings.TrimSuffix(string(b), "\r")
	l.last = append(l.last, text)
	if len(l.last) > linesKept {
		l.last = l.last[1:]
	}
	if l.size > maxLog {
		l.rotate()
	}
	n, _ := l.file.WriteString(text + "\n")
	l.size += int64(n)
	l.screen.write([]byte(l.prefix + text + "\n"))
}

// rotate keeps one older file; if that fails, the log continues in this one.
func (l *logFile) rotate() {
	l.size = 0
	if os.Rename(l.path, l.path+".1") != nil {
		return
	}
	old := l.file
	if l.open() != nil {
		l.file = old
		return
	}
	_ = old.Close()
}

// lastLines are the last lines, for an error text.
func (l *logFile) lastLines() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.last) == 0 {
		return "  (it said nothing)"
	}
	return "  " + strings.Join(l.last, "\n  ")
}

// Close writes what is left of a line and closes the file.
func (l *logFile) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.part) > 0 {
		l.line(l.part)
		l.part = nil
	}
	return l.file.Close()
}

package speech

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Limits of the program that speaks.
const (
	maxText      = 1000 // bytes
	maxOutput    = 4 << 20
	maxComplaint = 1 << 10
	speakLimit   = 10 * time.Second
)

// ErrNone reports that this computer has no program that speaks, or none for the language.
var ErrNone = errors.New("no program on this computer speaks this language: install espeak-ng")

// voices are eSpeak NG's, by the counter's languages. It has no English of India.
var voices = map[string]string{"en": "en-gb", "hi": "hi", "mr": "mr", "bn": "bn", "ta": "ta", "te": "te"}

// Program is the program that speaks, by its path.
type Program string

// Find returns eSpeak NG; empty: it is not installed.
func Find() Program {
	if path, err := exec.LookPath("espeak-ng"); err == nil {
		return Program(path)
	}
	// Its installer for Windows does not put it on the path.
	if folder := os.Getenv("ProgramFiles"); folder != "" {
		if path := filepath.Join(folder, "eSpeak NG", "espeak-ng.exe"); isFile(path) {
			return Program(path)
		}
	}
	return ""
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// Say speaks a text in a language of the counter. Errors: ErrNone, ctx's, or what the program
// wrote. The text goes to the program's standard input.
func (p Program) Say(ctx context.Context, language, text string) (Clip, error) {
	voice := voices[language]
	if p == "" || voice == "" {
		return Clip{}, ErrNone
	}
	if len(text) > maxText {
		return Clip{}, fmt.Errorf("a text of %d bytes is too long to speak", len(text))
	}
	ctx, cancel := context.WithTimeout(ctx, speakLimit)
	defer cancel()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	cmd := exec.CommandContext(ctx, string(p), "-v", voice, "-s", "150", "-b", "1", "--stdin", "--stdout")
	cmd.WaitDelay = time.Second
	out, complaints := &bounded{limit: maxOutput, stop: stop}, &bounded{limit: maxComplaint, stop: stop}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(text+"\n"), out, complaints
	if err := cmd.Run(); err != nil {
		return Clip{}, fmt.Errorf("espeak-ng: %w: %s", errors.Join(err, context.Cause(ctx)), strings.TrimSpace(complaints.text.String()))
	}
	c, err := ParseWAV(out.text.Bytes())
	if err != nil {
		return Clip{}, fmt.Errorf("espeak-ng: %w", err)
	}
	return c, nil
}

// bounded is a buffer that stops the program when it writes more than the limit.
type bounded struct {
	text  bytes.Buffer // no embedded one: its ReadFrom knows no limit
	limit int
	stop  context.CancelCauseFunc
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.text.Len()+len(p) > b.limit {
		err := fmt.Errorf("it wrote more than %d bytes", b.limit)
		b.stop(err)
		return 0, err
	}
	return b.text.Write(p)
}

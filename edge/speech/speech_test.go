package speech

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// loudness is the root of the mean square of a clip's samples, 0 to 1.
func loudness(c Clip) float64 {
	var sum float64
	for i := 0; i+1 < len(c.Data); i += bytesPerSample {
		v := float64(int16(binary.LittleEndian.Uint16(c.Data[i:]))) / math.MaxInt16
		sum += v * v
	}
	return math.Sqrt(sum / float64(max(1, len(c.Data)/bytesPerSample)))
}

// TestAnnouncement: a file has the chime and then the words, and is read back as it was.
func TestAnnouncement(t *testing.T) {
	words := Chime(16000, 500, 500)
	chime := Chime(16000, 784, 1047)
	for name, c := range map[string]struct {
		words Clip
		want  time.Duration
	}{"chime": {Clip{}, 2 * toneLength}, "words": {words, chime.Length() + gap + words.Length()}} {
		t.Run(name, func(t *testing.T) {
			made := Announcement(c.words, 784, 1047)
			if off := (made.Length() - c.want).Abs(); off > time.Millisecond {
				t.Errorf("it plays %v, want %v", made.Length(), c.want)
			}
			if n := loudness(made); n < 0.05 || n > 0.9 {
				t.Errorf("it is %v loud", n)
			}
			read, err := ParseWAV(made.WAV())
			if err != nil || read.Rate != made.Rate || !bytes.Equal(read.Data, made.Data) {
				t.Errorf("read back: %v, rate %d, %d bytes", err, read.Rate, len(read.Data))
			}
			if c.words.Rate > 0 && !bytes.HasSuffix(made.Data, c.words.Data) {
				t.Error("the words are not at the end")
			}
		})
	}
}

// TestNoWAV: what is no file of our form is refused.
func TestNoWAV(t *testing.T) {
	good := Chime(8000, 440).WAV()
	change := func(at int, to byte) []byte { b := bytes.Clone(good); b[at] = to; return b }
	for name, file := range map[string][]byte{
		"empty": nil, "text": []byte("espeak-ng: no such voice"), "cut": good[:30], "two channels": change(22, 2), "8 bits": change(34, 8), "no rate": append(change(24, 0)[:25], append([]byte{0, 0, 0}, good[28:]...)...),
		"data first": append(bytes.Clone(good[:12]), good[36:]...),
	} {
		if c, err := ParseWAV(file); err == nil {
			t.Errorf("%s was read as %d bytes at %d", name, len(c.Data), c.Rate)
		}
	}
	piped := change(41, 0xf0) // the stated length is longer than the file
	if c, err := ParseWAV(piped); err != nil || len(c.Data) != len(good)-headerBytes {
		t.Errorf("of a pipe: %v, %d bytes", err, len(c.Data))
	}
}

func FuzzParseWAV(f *testing.F) {
	f.Add(Chime(8000, 440).WAV())
	f.Add([]byte("RIFF\x00\x00\x00\x00WAVEdata\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, file []byte) {
		c, err := ParseWAV(file)
		if err == nil && (c.Rate < 1 || c.Rate > maxRate || len(c.Data)%bytesPerSample != 0 || len(c.Data) > len(file)) {
			t.Errorf("read as %d bytes at %d", len(c.Data), c.Rate)
		}
	})
}

// TestSay speaks with the real program in each language of the counter.
func TestSay(t *testing.T) {
	p := Find()
	if p == "" {
		const missing = "espeak-ng is missing, and this test speaks with it: deploy/tools/need.sh speech installs it, and GALLA_WITHOUT_SPEECH=1 leaves it out"
		if testing.Short() || os.Getenv("GALLA_WITHOUT_SPEECH") != "" {
			t.Skip(missing)
		}
		t.Fatal(missing)
	}
	spoken := map[string]string{}
	for language, text := range map[string]string{
		"en": "Received two hundred and fifty rupees by UPI.", "hi": "यूपीआई से दो सौ पचास रुपये मिले।", "mr": "यूपीआयने दोनशे पन्नास रुपये मिळाले.",
		"bn": "ইউপিআই-তে দুশো পঞ্চাশ টাকা এসেছে।", "ta": "யூபிஐ மூலம் இருநூற்று ஐம்பது ரூபாய் வந்தது.", "te": "యూపీఐ ద్వారా రెండు వందల యాభై రూపాయలు వచ్చాయి.",
	} {
		c, err := p.Say(t.Context(), language, text)
		if err != nil {
			t.Errorf("%s: %v", language, err)
			continue
		}
		if c.Length() < time.Second || c.Length() > 15*time.Second || loudness(c) < 0.01 {
			t.Errorf("%s: %v long, %v loud", language, c.Length(), loudness(c))
		}
		for other, data := range spoken {
			if data == string(c.Data) {
				t.Errorf("%s sounds like %s", language, other)
			}
		}
		spoken[language] = string(c.Data)
	}
	// A text is no argument.
	if c, err := p.Say(t.Context(), "en", "--version"); err != nil || c.Length() < 300*time.Millisecond {
		t.Errorf("a text like an option: %v, %v long", err, c.Length())
	}
}

// TestSayFails: without a program, with a broken one, and with one that hangs, there are no
// words, and an error says why.
func TestSayFails(t *testing.T) {
	if _, err := Program("").Say(t.Context(), "en", "a"); !errors.Is(err, ErrNone) {
		t.Errorf("without a program: %v", err)
	}
	if _, err := Program("/bin/false").Say(t.Context(), "fr", "a"); !errors.Is(err, ErrNone) {
		t.Errorf("in a language that the counter lacks: %v", err)
	}
	if _, err := Program("/bin/false").Say(t.Context(), "en", strings.Repeat("a", maxText+1)); err == nil {
		t.Error("a text without end was spoken")
	}
	if runtime.GOOS == "windows" {
		return // its scripts are others
	}
	script := func(text string) Program {
		path := filepath.Join(t.TempDir(), "espeak-ng")
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		return Program(path)
	}
	for name, c := range map[string]struct{ script, want string }{
		"fails":           {"cat > /dev/null; echo no voice >&2; exit 3", "no voice"},
		"writes no sound": {"cat > /dev/null; echo hello", errNoClip.Error()},
		"writes forever":  {"exec yes", "bytes"},
	} {
		if _, err := script(c.script).Say(t.Context(), "en", "a"); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("a program that %s: %v", name, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(100*time.Millisecond, cancel)
	if _, err := script("exec sleep 60").Say(ctx, "en", "a"); !errors.Is(err, context.Canceled) {
		t.Errorf("a program that hangs: %v", err)
	}
}

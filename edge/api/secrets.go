package api

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"galla/shared/secret"
)

// A reply is kept and shown, and much of it is the bank's own text. Whatever
// the bank repeats of a request's secrets is taken out of it first.

// RemoveSecrets gives a reply without Aadhaar numbers, OTPs and PidData: by the names
// of their fields, and by what the request's body and OTP held. A reply that
// holds none is given as it came; one that is no JSON is not given at all.
func RemoveSecrets(body, reply []byte, otp secret.OTP) []byte {
	s := scrubber{}
	for _, word := range []string{BodyField(body, aepsAadhaar), BodyField(body, aadhaar), otp.Reveal()} {
		if word != "" {
			s.words = append(s.words, word)
		}
	}
	out, err := s.scrub(reply)
	switch {
	case err != nil:
		return nil
	case !s.found:
		return reply
	}
	return out
}

// scrubber copies JSON and takes secrets out of it.
type scrubber struct {
	words []string // values that must not stand in it
	found bool
}

func (s *scrubber) scrub(reply []byte) ([]byte, error) {
	var out bytes.Buffer
	dec, enc := jsontext.NewDecoder(bytes.NewReader(reply)), jsontext.NewEncoder(&out)
	names := []string{""} // the member that each depth is at; a list's items are its own
	for {
		t, err := dec.ReadToken()
		if errors.Is(err, io.EOF) && out.Len() > 0 {
			return bytes.TrimSpace(out.Bytes()), nil
		}
		if err != nil {
			return nil, err
		}
		depth := dec.StackDepth()
		in, n := dec.StackIndex(depth)
		switch t.Kind() {
		case '{':
			names = append(names[:depth], "")
		case '[':
			names = append(names[:depth], names[depth-1])
		case '"':
			if in == '{' && n%2 == 1 { // a name
				names[depth] = t.String()
				break
			}
			t = jsontext.String(s.text(names[depth], t.String()))
		case '0':
			// A number that happens to be the OTP's is an amount.
			if text := t.String(); isSecretField(names[depth]) || len(text) == 12 && slices.Contains(s.words, text) {
				t = jsontext.String(s.text(names[depth], text))
			}
		}
		if err := enc.WriteToken(t); err != nil {
			return nil, err
		}
	}
}

// text cleans what stands under a name.
func (s *scrubber) text(name, text string) string {
	was := text
	if isSecretField(name) {
		text = mask(text)
	}
	if strings.Contains(text, "<"+pidData) || strings.EqualFold(name, pidData) {
		text = "[PidData]"
	}
	for _, w := range s.words {
		text = replaceDigits(text, w)
	}
	s.found = s.found || text != was
	return text
}

// isSecretField tells whether a field's name says that its value is a secret.
func isSecretField(name string) bool {
	switch strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(name)) {
	case FieldOTP, aadhaar, "aadharno", "aadhaar", "aadhar", "aadhaarnumber", "uid":
		return true
	}
	return false
}

// mask shows the last four of twelve digits and nothing of other digits. What
// holds other characters is masked already, or a word, and stays.
func mask(text string) string {
	if text == "" || strings.Trim(text, "0123456789") != "" {
		return text
	}
	return secret.MaskAadhaar(text)
}

// replaceDigits masks a run of digits where it stands by itself, not within a
// longer number.
func replaceDigits(text, word string) string {
	var out strings.Builder
	for at := 0; ; {
		i := strings.Index(text[at:], word)
		if i < 0 {
			out.WriteString(text[at:])
			return out.String()
		}
		begin, end := at+i, at+i+len(word)
		out.WriteString(text[at:begin])
		if digitAt(text, begin-1) || digitAt(text, end) {
			out.WriteString(word)
		} else {
			out.WriteString(mask(word))
		}
		at = end
	}
}

func digitAt(s string, i int) bool { return i >= 0 && i < len(s) && s[i] >= '0' && s[i] <= '9' }

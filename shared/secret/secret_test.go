package secret

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

const canary = "999941057058"

// holder nests each secret in exported and unexported fields: fmt treats the
// two differently.
type holder struct {
	A Aadhaar
	P PidData
	O OTP
	K Key
	T Token
	a Aadhaar
	p *PidData
	o []OTP
	k map[string]Key
	t any
}

func full(t *testing.T) holder {
	a, err := ParseAadhaar(canary)
	if err != nil {
		t.Fatal(err)
	}
	p := NewPidData(canary)
	return holder{
		A: a, P: p, O: NewOTP(canary), K: NewKey([]byte(canary)), T: NewToken(canary),
		a: a, p: &p, o: []OTP{NewOTP(canary)}, k: map[string]Key{"k": NewKey([]byte(canary))}, t: NewToken(canary),
	}
}

func TestNoVerbPrintsTheValue(t *testing.T) {
	h := full(t)
	var prints []string
	for _, v := range []any{h, &h, h.A, h.P, h.O, h.K, h.T, &h.A, &h.K} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d"} {
			prints = append(prints, fmt.Sprintf(verb, v))
		}
		j, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		prints = append(prints, string(j), fmt.Errorf("wrapped: %v", v).Error())
		for _, handler := range []func(*bytes.Buffer) slog.Handler{
			func(b *bytes.Buffer) slog.Handler { return slog.NewTextHandler(b, nil) },
			func(b *bytes.Buffer) slog.Handler { return slog.NewJSONHandler(b, nil) },
		} {
			var b bytes.Buffer
			slog.New(handler(&b)).Info("operation", "value", v)
			prints = append(prints, b.String())
		}
	}
	hex := fmt.Sprintf("%x", canary)
	for _, p := range prints {
		if strings.Contains(p, canary) || strings.Contains(strings.ToLower(p), hex) || strings.Contains(p, canary[:8]) {
			t.Errorf("a secret was printed: %s", p)
		}
	}
}

func TestAadhaar(t *testing.T) {
	tests := []struct {
		in  string
		err error
	}{
		{"999941057058", nil}, {"999971658847", nil}, {"999933119405", nil},
		{"999955183433", nil}, {"999990501894", nil},
		{"999941057059", ErrAadhaarCheck}, {"999914057058", ErrAadhaarCheck},
		{"99994105705", ErrAadhaarShape}, {"9999410570588", ErrAadhaarShape},
		{"99994105705x", ErrAadhaarShape}, {"", ErrAadhaarShape}, {"９９９９４１０５７０５８", ErrAadhaarShape},
	}
	for _, tt := range tests {
		a, err := ParseAadhaar(tt.in)
		if !errors.Is(err, tt.err) {
			t.Errorf("ParseAadhaar(%q) = %v, want %v", tt.in, err, tt.err)
		}
		if err == nil && a.Reveal() != tt.in {
			t.Errorf("ParseAadhaar(%q).Reveal() = %q", tt.in, a.Reveal())
		}
		if err == nil && a.Masked() != "XXXXXXXX"+tt.in[8:] {
			t.Errorf("ParseAadhaar(%q).Masked() = %q", tt.in, a.Masked())
		}
	}
}

// TestVerhoeffCatchesTypingErrors: the scheme promises to catch every wrong
// digit and every swap of neighbours, which is why Aadhaar uses it.
func TestVerhoeffCatchesTypingErrors(t *testing.T) {
	for i := range canary {
		for d := byte('0'); d <= '9'; d++ {
			wrong := []byte(canary)
			if wrong[i] == d {
				continue
			}
			wrong[i] = d
			if _, err := ParseAadhaar(string(wrong)); err == nil {
				t.Errorf("digit %d changed to %c passes", i, d)
			}
		}
		if i > 0 && canary[i] != canary[i-1] {
			swapped := []byte(canary)
			swapped[i], swapped[i-1] = swapped[i-1], swapped[i]
			if _, err := ParseAadhaar(string(swapped)); err == nil {
				t.Errorf("digits %d and %d swapped pass", i-1, i)
			}
		}
	}
}

func TestUnmarshalNeverQuotesTheInput(t *testing.T) {
	var in struct {
		P PidData
		O OTP
	}
	err := json.Unmarshal([]byte(`{"P": 999941057058}`), &in)
	if err == nil || strings.Contains(err.Error(), canary) {
		t.Errorf("error = %v, want one that does not quote the input", err)
	}
	if err := json.Unmarshal([]byte(`{"P":"<x/>","O":"123456"}`), &in); err != nil {
		t.Fatal(err)
	}
	if in.P.Reveal() != "<x/>" || in.O.Reveal() != "123456" {
		t.Error("values were not read")
	}
}

func TestZeroValuesAreSafe(t *testing.T) {
	var h holder
	if !h.A.IsZero() || !h.P.IsZero() || h.A.Reveal() != "" || len(h.K.Reveal()) != 0 {
		t.Error("a zero secret is not empty")
	}
	_ = fmt.Sprintf("%+v", h)
	if !NewOTP("1").Equal(NewOTP("1")) || NewOTP("1").Equal(NewOTP("2")) {
		t.Error("Equal does not compare values")
	}
}

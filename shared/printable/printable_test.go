package printable_test

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"galla/shared/printable"
)

func TestName(t *testing.T) {
	for text, want := range map[string]error{
		"Anisha Sharma": nil, "  Anisha ": nil, "O'Brien, M/s 12-A (Pune)": nil, "अनिशा": nil, "ক্ষমা": nil, "क्\u200dष": nil, "ശ്\u200c": nil,
		"-": nil, "+91 98765-43210": nil, "𑂧": nil, "José": nil, "a\u00a0b": nil,
		"": printable.ErrLength, "   ": printable.ErrLength, strings.Repeat("अ", 101): printable.ErrLength,
		"a\nb": printable.ErrHidden, "a\r\nb": printable.ErrHidden, "a\tb": printable.ErrHidden, "a\x00b": printable.ErrHidden, "a\x1bb": printable.ErrHidden,
		"a\x7fb": printable.ErrHidden, "a\u0085b": printable.ErrHidden, "a\u009bb": printable.ErrHidden,
		"a\u2028b": printable.ErrHidden, "a\u2029b": printable.ErrHidden, "a\u202eb": printable.ErrHidden, "a\u2066b": printable.ErrHidden,
		"a\u200eb": printable.ErrHidden, "a\u061cb": printable.ErrHidden, "a\u200bb": printable.ErrHidden, "a\ufeffb": printable.ErrHidden,
		"a\u2060b": printable.ErrHidden, "a\u00adb": printable.ErrHidden, "a\u034fb": printable.ErrHidden, "a\ufe0fb": printable.ErrHidden,
		"a\u3164b": printable.ErrHidden, "a\u2800b": printable.ErrHidden, "a\U000e0041b": printable.ErrHidden, "a\ufffdb": printable.ErrHidden,
		"a\ue000b": printable.ErrHidden, "a\xffb": printable.ErrHidden,
		"a\u200db": printable.ErrHidden, "\u200dab": printable.ErrHidden, "क\u200d\u200d": printable.ErrHidden,
		"=1+1": printable.ErrFormula, "@SUM(A1)": printable.ErrFormula, "+cmd|' /C calc'!A0": printable.ErrFormula, "-2+3": printable.ErrFormula,
		" =1": printable.ErrFormula, "＝1": printable.ErrFormula, "-A1": printable.ErrFormula,
	} {
		got, err := printable.Name(text, printable.MaxName)
		if !errors.Is(err, want) || err == nil && got != strings.TrimSpace(text) {
			t.Errorf("%+q is %+q, %v; want %v", text, got, err, want)
		}
	}
}

func TestFieldsAreACopy(t *testing.T) {
	printable.Fields()["name"] = 1
	if printable.Fields()["name"] != printable.MaxName {
		t.Error("the table was changed")
	}
}

// FuzzCell: a cell is one line, no formula, and a name that passed stays as it
// is but for the apostrophe.
func FuzzCell(f *testing.F) {
	for _, s := range []string{"", "=1", " =1", "\u00a0+1", "\t-1", "\u202e@A", "Anisha", "क्\u200dष", "\xff=1", "|calc", "%x", "\u200b=1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		cell := printable.Cell(text)
		if strings.ContainsAny(cell, "\r\n\t\x00\u2028\u2029\u202e\u200b") || !utf8.ValidString(cell) {
			t.Errorf("%+q holds what can't be seen", cell)
		}
		if bare := strings.TrimSpace(cell); bare != "" && strings.ContainsRune("=+-@", rune(bare[0])) {
			t.Errorf("%+q is a formula", cell)
		}
		if name, err := printable.Name(text, len(text)+1); err == nil && strings.TrimPrefix(printable.Cell(name), "'") != strings.TrimPrefix(name, "'") {
			t.Errorf("the name %+q became %+q", name, printable.Cell(name))
		}
	})
}

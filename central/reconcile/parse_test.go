package reconcile

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"galla/shared/money"
	"galla/shared/op"
)

const head = "reference,rrn,stan,amount,code,time\n"

// good is a file as the sandbox bank writes it.
const good = head +
	"GL261121AAAAAAAAAA,632510000001,000001,500.00,00,2026-11-21T10:00:00.000+05:30\n" +
	"GL261121BBBBBBBBBB,632510000002,000002,100.05,05,2026-11-21T10:01:00.000+05:30\n" +
	"GL261121CCCCCCCCCC,632510000003,000003,200.93,22,2026-11-20T18:30:00.000Z\n" +
	"END,2026-11-21,3,800.98,,\n"

func parse(text string) ([]Line, Content, error) {
	var lines []Line
	c, err := Parse(strings.NewReader(text), func(l Line) error {
		lines = append(lines, l)
		return nil
	})
	return lines, c, err
}

func TestParse(t *testing.T) {
	for name, text := range map[string]string{"plain": good, "other line ends": strings.ReplaceAll(good, "\n", "\r\n"), "a mark at its start": "\ufeff" + good, "no last line end": strings.TrimSuffix(good, "\n")} {
		lines, c, err := parse(text)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if c.Day != "2026-11-21" || c.Lines != 3 || c.Amount != 80098 || c.Bytes != int64(len(text)) || c.SHA256 != sha256.Sum256([]byte(text)) {
			t.Errorf("%s: %+v", name, c)
		}
		want := Line{Number: 3, Reference: "GL261121BBBBBBBBBB", RRN: "632510000002", STAN: "000002", Amount: 10005, Code: "05", At: time.Date(2026, 11, 21, 4, 31, 0, 0, time.UTC)}
		if len(lines) != 3 || lines[1] != want {
			t.Errorf("%s: %+v", name, lines)
		}
	}
	if lines, c, err := parse(head + "END,2026-11-21,0,0.00,,\n"); err != nil || len(lines) != 0 || c.Day != "2026-11-21" {
		t.Errorf("an empty day: %+v, %v", c, err)
	}
}

// TestParseRefuses: every bad line is named with its number and field, nothing is
// quoted, and nothing of the file is used.
func TestParseRefuses(t *testing.T) {
	line := func(change ...string) string {
		fields := []string{"GL261121AAAAAAAAAA", "632510000001", "000001", "500.00", "00", "2026-11-21T10:00:00.000+05:30"}
		for i := 0; i+1 < len(change); i += 2 {
			fields[strings.Index("rnsact", change[i])] = change[i+1]
		}
		return strings.Join(fields, ",") + "\n"
	}
	last := func(n int, sum string) string { return fmt.Sprintf("END,2026-11-21,%d,%s,,\n", n, sum) }
	tests := map[string]struct {
		text string
		want []string // parts of the faults, in order
	}{
		"nothing":              {"", []string{"the file is empty"}},
		"cut off":              {head + line(), []string{"it was cut off"}},
		"cut off in a line":    {head + line()[:40], []string{"it was cut off", "line 2, line"}},
		"another header":       {"a,b\n" + last(0, "0.00"), []string{"line 1, line"}},
		"a reference":          {head + line("r", "gl1") + last(1, "500.00"), []string{"line 2, reference"}},
		"an RRN":               {head + line("n", "63251000000X") + last(1, "500.00"), []string{"line 2, rrn"}},
		"a STAN":               {head + line("s", "1") + last(1, "500.00"), []string{"line 2, stan"}},
		"no amount":            {head + line("a", "0.00") + last(1, "0.00"), []string{"line 2, amount"}},
		"an amount below zero": {head + line("a", "-5") + last(1, "-5.00"), []string{"line 2, amount"}},
		"an amount of text":    {head + line("a", "5e2") + last(1, "500.00"), []string{"line 2, amount"}},
		"a code":               {head + line("c", "0") + last(1, "500.00"), []string{"line 2, code"}},
		"a time without zone":  {head + line("t", "2026-11-21T10:00:00") + last(1, "500.00"), []string{"line 2, time"}},
		"two days":             {head + line() + line("t", "2026-11-21T19:00:00Z") + last(2, "1000.00"), []string{"line 3, time"}},
		"another day's end":    {head + line() + "END,2026-11-22,1,500.00,,\n", []string{"line 3, day"}},
		"a day that is none":   {head + "END,yesterday,0,0.00,,\n", []string{"line 2, day"}},
		"a number":             {head + line() + last(2, "500.00"), []string{"line 3, number of lines: there are 1"}},
		"a sum":                {head + line() + last(1, "500.01"), []string{"line 3, sum: is not that of the lines, 500.00"}},
		"a longer end":         {head + "END,2026-11-21,0,0.00,x,\n", []string{"line 2, line"}},
		"after the end":        {head + line() + last(1, "500.00") + line(), []string{"line 4, line: is after"}},
		"fields":               {head + "a,b,c\n" + last(0, "0.00"), []string{"line 2, line: has 3 fields"}},
		"quotes":               {head + line("r", `"GL1"`) + last(1, "500.00"), []string{"line 2, reference"}},
		"several":              {head + line("r", "", "n", "x") + line() + line("c", "aa") + last(3, "1500.00"), []string{"line 2, reference", "line 2, rrn", "line 4, code"}},
		"a long line":          {head + strings.Repeat("x", 600) + "\n" + last(0, "0.00"), []string{"line 2, line: has more than"}},
		"a blank line":         {head + "\n" + last(0, "0.00"), []string{"line 2, line: has 1 fields"}},
		"a personal number":    {head + line("r", "999941057058x") + last(1, "500.00"), []string{"line 2, reference"}},
	}
	for name, tt := range tests {
		_, _, err := parse(tt.text)
		var bad *BadFile
		if !errors.As(err, &bad) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if one := strings.Contains(err.Error(), " has 1 fault and "); one != (len(bad.Faults)+bad.More == 1) {
			t.Errorf("%s: %v", name, err)
		}
		if len(bad.Faults) != len(tt.want) || strings.Contains(err.Error(), "999941057058") {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for i, want := range tt.want {
			if !strings.Contains(bad.Faults[i].String(), want) {
				t.Errorf("%s: %q, want %q", name, bad.Faults[i], want)
			}
		}
	}
	many := head + strings.Repeat("x\n", maxFaults+7) + last(0, "0.00")
	var bad *BadFile
	if _, _, err := parse(many); !errors.As(err, &bad) || len(bad.Faults) != maxFaults || bad.More != 7 || !strings.Contains(err.Error(), "and 7 more") {
		t.Errorf("many faults: %v", err)
	}
}

// TestParseLimits: a file that is too long is not read to its end.
func TestParseLimits(t *testing.T) {
	endlessly := func(line string) string {
		t.Helper()
		_, err := parseWithin(io.MultiReader(strings.NewReader(head), &endless{line: []byte(line + "\n")}), func(Line) error { return nil }, 1<<20, 500)
		var bad *BadFile
		if !errors.As(err, &bad) {
			t.Fatalf("an endless file: %v", err)
		}
		return bad.Error()
	}
	if said := endlessly(strings.Split(good, "\n")[1]); !strings.Contains(said, "line 502, line: is one too many") {
		t.Errorf("too many lines: %s", said)
	}
	if said := endlessly(strings.Repeat("x", maxLineBytes-10)); !strings.Contains(said, "the file has more than 1048576 bytes") {
		t.Errorf("too many bytes: %.200s", said)
	}
	broken := errors.New("the disk")
	if _, err := Parse(io.MultiReader(strings.NewReader(head), iotest.ErrReader(broken)), nil); !errors.Is(err, broken) {
		t.Errorf("a broken reader: %v", err)
	}
	if _, err := Parse(strings.NewReader(good), func(Line) error { return broken }); !errors.Is(err, broken) {
		t.Errorf("the receiver of the lines fails: %v", err)
	}
}

type endless struct {
	line []byte
	at   int
}

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = e.line[e.at%len(e.line)]
		e.at++
	}
	return len(p), nil
}

func TestOutcome(t *testing.T) {
	for code, want := range map[string]op.State{"00": op.Succeeded, "22": op.Reversed, "51": op.Failed, "91": op.Failed, "U3": op.Failed, "68": "", "94": ""} {
		if got := (Line{Code: code}).Outcome(); got != want {
			t.Errorf("code %s: %q, want %q", code, got, want)
		}
	}
}

// FuzzParse: Parse ends on any input without a panic, and the lines of an accepted file
// add up to its last record.
func FuzzParse(f *testing.F) {
	f.Add([]byte(good))
	f.Add([]byte(head + "END,2026-11-21,0,0.00,,\n"))
	f.Add([]byte("\ufeff" + strings.ReplaceAll(good, "\n", "\r\n")))
	f.Add([]byte(head + "a,b,c\nEND,,,,,"))
	f.Fuzz(func(t *testing.T, text []byte) {
		var lines []Line
		var sum money.Paise
		c, err := Parse(strings.NewReader(string(text)), func(l Line) error {
			lines = append(lines, l)
			sum += l.Amount
			return nil
		})
		var bad *BadFile
		if err != nil {
			if !errors.As(err, &bad) || len(bad.Faults) == 0 || len(bad.Faults) > maxFaults+1 {
				t.Fatalf("error %v", err)
			}
			return
		}
		if c.Lines != len(lines) || c.Amount != sum || c.Bytes != int64(len(text)) {
			t.Fatalf("%+v of %d lines, %s", c, len(lines), sum)
		}
		for i, l := range lines {
			if l.Amount <= 0 || l.Number < 2 || i > 0 && l.Number <= lines[i-1].Number || len(l.RRN) != 12 || len(l.STAN) != 6 || l.Reference == "" {
				t.Fatalf("line %+v", l)
			}
		}
	})
}

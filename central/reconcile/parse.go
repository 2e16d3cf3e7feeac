package reconcile

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"galla/central"
	"galla/shared/ist"
	"galla/shared/money"
	"galla/shared/op"
)

// Limits of a settlement file.
const (
	// MaxBytes is the largest file: more than MaxLines of a bank's longest lines.
	MaxBytes = 96 << 20
	// MaxLines is several times a day's operations of thousands of counters. A file is
	// compared in memory.
	MaxLines = 500_000
	// maxLineBytes is several times the longest valid line.
	maxLineBytes = 512
	// maxFaults bounds the faults that are listed: they usually have one cause.
	maxFaults = 100
)

// columns are the fields of a line, in their order.
const columns = "reference,rrn,stan,amount,code,time"

// endMarker begins the last record: END, the day, the number of lines, the sum of their
// amounts.
const endMarker = "END"

// Line is one transaction of a settlement file.
type Line struct {
	Number    int // in the file; the header is 1
	Reference central.Reference
	RRN       string // the bank's
	STAN      string // ours; PaymentSTAN where it is of a payment by UPI
	Amount    money.Paise
	Code      string    // the bank's response code, as in domain.md
	At        time.Time // when the bank's outcome was final
}

// PaymentSTAN is the STAN of lines of payments by UPI and of their returns, which have none.
// Their reference is the network's id. Our own STANs begin at 000001.
const PaymentSTAN = "000000"

// OfPayment tells whether a line is of a payment by UPI, or of the return of one.
func (l Line) OfPayment() bool { return l.STAN == PaymentSTAN }

// Outcome is the final state of a line's transaction; empty: the bank itself was not
// certain (domain.md, section 4, class P).
func (l Line) Outcome() op.State {
	switch l.Code {
	case "00":
		return op.Succeeded
	case "22":
		return op.Reversed
	case "40", "41", "68", "71", "94":
		return ""
	}
	return op.Failed
}

// Content describes a file without its lines.
type Content struct {
	Day    ist.Day
	Lines  int
	Amount money.Paise // of all lines
	Bytes  int64
	SHA256 [32]byte
}

// Fault is a fault in a field of a line. It never quotes the file.
type Fault struct {
	Line  int    // 0: the file as a whole
	Field string // the name of a column; "line" for the whole line
	What  string
}

func (f Fault) String() string {
	if f.Line == 0 {
		return f.What
	}
	return fmt.Sprintf("line %d, %s: %s", f.Line, f.Field, f.What)
}

// BadFile is the error of a rejected file, with its faults: those of the file as a whole,
// then by line.
type BadFile struct {
	Faults []Fault
	More   int // faults that are not listed
}

func (e *BadFile) Error() string {
	var b strings.Builder
	faults := "1 fault"
	if n := len(e.Faults) + e.More; n != 1 {
		faults = fmt.Sprintf("%d faults", n)
	}
	fmt.Fprintf(&b, "the settlement file has %s and nothing was imported; ask the bank for a good file", faults)
	for _, f := range e.Faults {
		b.WriteString("\n  " + f.String())
	}
	if e.More > 0 {
		fmt.Fprintf(&b, "\n  and %d more", e.More)
	}
	return b.String()
}

// Parse reads a settlement file and calls each for every line. The lines must not be used
// before Parse has returned without an error. *BadFile has the faults of the file; other
// errors are those of r and of each.
func Parse(r io.Reader, each func(Line) error) (Content, error) {
	return parseWithin(r, each, MaxBytes, MaxLines)
}

// parseWithin is Parse with other limits, for tests.
func parseWithin(r io.Reader, each func(Line) error, maxBytes int64, maxLines int) (Content, error) {
	sum := sha256.New()
	counted := &countingReader{r: io.TeeReader(io.LimitReader(r, maxBytes+1), sum)}
	p := parser{each: each, maxLines: maxLines}
	scan := bufio.NewScanner(counted)
	scan.Buffer(make([]byte, 0, maxLineBytes), maxLineBytes)
	for !p.full && scan.Scan() {
		if err := p.parseLine(scan.Text()); err != nil {
			return Content{}, err
		}
	}
	switch err := scan.Err(); {
	case p.full:
		p.fault("line", fmt.Sprintf("is one too many: a file has at most %d; what follows was not read", maxLines))
	case errors.Is(err, bufio.ErrTooLong):
		p.number++
		p.fault("line", fmt.Sprintf("has more than %d bytes; what follows was not read", maxLineBytes-1))
	case err != nil:
		return Content{}, fmt.Errorf("read the settlement file: %w", err)
	case counted.n > maxBytes:
		p.fileFault(fmt.Sprintf("the file has more than %d bytes", maxBytes))
	default:
		p.finish()
	}
	if len(p.bad.Faults) > 0 {
		return Content{}, &p.bad
	}
	p.content.Bytes = counted.n
	sum.Sum(p.content.SHA256[:0])
	return p.content, nil
}

// countingReader counts the bytes read.
type countingReader struct {
	r io.Reader
	n int64
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// parser is the state of Parse.
type parser struct {
	each     func(Line) error
	maxLines int
	number   int // of the present line
	first    ist.Day
	ended    bool
	full     bool // there are more than maxLines
	content  Content
	bad      BadFile
}

func (p *parser) fault(field, what string) {
	if len(p.bad.Faults) < maxFaults {
		p.bad.Faults = append(p.bad.Faults, Fault{p.number, field, what})
		return
	}
	p.bad.More++
}

// parseLine parses one line. Its error is that of each.
func (p *parser) parseLine(text string) error {
	p.number++
	if p.number == 1 {
		if strings.TrimPrefix(text, "\ufeff") != columns {
			p.fault("line", "the first line must be "+columns)
		}
		return nil
	}
	if p.ended {
		p.fault("line", "is after the last record, "+endMarker)
		return nil
	}
	fields := strings.Split(text, ",")
	if len(fields) != strings.Count(columns, ",")+1 {
		p.fault("line", fmt.Sprintf("has %d fields where there must be %d", len(fields), strings.Count(columns, ",")+1))
		return nil
	}
	if fields[0] == endMarker {
		p.parseEnd(fields)
		return nil
	}
	if p.full = p.content.Lines == p.maxLines; p.full {
		return nil
	}
	p.content.Lines++
	l, ok := p.parseFields(fields)
	if !ok || len(p.bad.Faults) > 0 {
		return nil
	}
	p.content.Amount += l.Amount
	return p.each(l)
}

// parseFields parses the fields of a line and records faults.
func (p *parser) parseFields(fields []string) (Line, bool) {
	ok := true
	need := func(field string, right bool, what string) {
		if !right {
			p.fault(field, what)
			ok = false
		}
	}
	l := Line{Number: p.number, Reference: central.Reference(fields[0]), RRN: fields[1], STAN: fields[2], Code: fields[4]}
	need("reference", consistsOf(fields[0], 1, 40, upper+digits+"-"), "must be 1 to 40 capital letters, digits and hyphens")
	need("rrn", consistsOf(l.RRN, 12, 12, digits), "must be 12 digits")
	need("stan", consistsOf(l.STAN, 6, 6, digits), "must be 6 digits")
	need("code", consistsOf(l.Code, 2, 2, upper+digits), "must be 2 capital letters or digits")
	amount, err := money.Parse(fields[3])
	need("amount", err == nil && amount > 0, "must be rupees above zero, such as 500.00")
	l.Amount = amount
	at, err := time.Parse(time.RFC3339, fields[5])
	need("time", err == nil, "must be a time with its zone, such as 2026-11-21T09:30:00.000+05:30")
	if err != nil {
		return Line{}, false
	}
	l.At = at.UTC()
	if day := ist.DayOf(at); p.first == "" {
		p.first = day
	} else {
		need("time", day == p.first, "is of another day in India than the lines before it")
	}
	return l, ok
}

// parseEnd parses the last record and compares it with the lines.
func (p *parser) parseEnd(fields []string) {
	p.ended = true
	day, err := time.Parse(time.DateOnly, fields[1])
	if err != nil || day.Year() < 2000 {
		p.fault("day", "must be a day in India, such as 2026-11-21")
	}
	p.content.Day = ist.Day(fields[1])
	if p.first != "" && p.first != p.content.Day {
		p.fault("day", "is not the day of the lines")
	}
	if fields[2] != strconv.Itoa(p.content.Lines) {
		p.fault("number of lines", fmt.Sprintf("there are %d lines, and the record says otherwise: lines were lost or added", p.content.Lines))
	}
	if len(p.bad.Faults) == 0 && fields[3] != p.content.Amount.String() {
		p.fault("sum", "is not that of the lines, "+p.content.Amount.String())
	}
	if fields[4] != "" || fields[5] != "" {
		p.fault("line", "the last two fields of the last record are empty")
	}
}

// finish is called at the end of the file.
func (p *parser) finish() {
	if p.number == 0 {
		p.fileFault("the file is empty; a day without transactions has a first line and a last record")
	} else if !p.ended {
		p.fileFault("the file has no last record, " + endMarker + ": it was cut off")
	}
}

// fileFault records a fault of the whole file, before those of its lines.
func (p *parser) fileFault(what string) {
	p.bad.Faults = slices.Insert(p.bad.Faults, 0, Fault{What: what})
}

const (
	upper  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digits = "0123456789"
)

// consistsOf reports whether s has from to to characters, all of them in of.
func consistsOf(s string, from, to int, of string) bool {
	return len(s) >= from && len(s) <= to && len(bytes.Trim([]byte(s), of)) == 0
}

package ifsc

import (
	"bytes"
	"compress/gzip"
	_ "embed" // the codes
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

//go:embed ifsc.gz
var packed []byte

// ErrFormat: a code is four letters, 0, and six letters or digits.
var ErrFormat = errors.New("an IFSC has 11 characters: four letters, 0, and six letters or digits")

const (
	length       = 11
	bankLength   = 4
	prefixLength = 5 // the bank's letters and 0
)

// Data are the codes. It is safe for concurrent use.
type Data struct {
	// Source names where the codes are from, with its version and licence.
	Source string
	// Date is the day of the source.
	Date time.Time

	own    map[string]ownBank // by four letters
	single map[string]string  // names of banks by a code of another bank that they use
	starts map[string]string  // the same by the first characters of codes
	banks  []Bank             // by name
}

// ownBank is a bank with codes of its own; codes is as in the file.
type ownBank struct{ name, codes string }

// Bank is a bank that somebody can choose.
type Bank struct {
	Name string
	// Prefix is what all its codes begin with: at least the four letters and 0.
	Prefix string
	// Only is its one code, where it has no other; empty: it has more, or codes that begin
	// with Prefix.
	Only string
}

// Code is what is known of a code.
type Code struct {
	IFSC string
	// Bank is the bank's name; empty: unknown.
	Bank string
	// Through is the bank whose code it is, where Bank uses a code of another.
	Through string
	// Branch are the last six characters.
	Branch string
	// Known reports whether the branch is in the data.
	Known bool
}

// Open reads the embedded codes.
func Open() (*Data, error) {
	stream, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("the embedded IFSC codes: %w", err)
	}
	text, err := io.ReadAll(stream)
	if err != nil {
		return nil, fmt.Errorf("the embedded IFSC codes: %w", err)
	}
	d, err := read(string(text))
	if err != nil {
		return nil, fmt.Errorf("the embedded IFSC codes: %w", err)
	}
	return d, nil
}

func read(text string) (*Data, error) {
	d := &Data{own: map[string]ownBank{}, single: map[string]string{}, starts: map[string]string{}}
	for n, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		f := strings.Split(line, "\t")
		err := error(nil)
		switch {
		case n == 0 && line == "galla-ifsc\t1":
		case n > 0 && f[0] == "source" && len(f) == 2:
			d.Source = f[1]
		case n > 0 && f[0] == "date" && len(f) == 2:
			d.Date, err = time.Parse(time.DateOnly, f[1])
		case n > 0 && f[0] == "B" && len(f) == 4 && len(f[1]) == bankLength:
			d.own[f[1]] = ownBank{f[2], f[3]}
		case n > 0 && f[0] == "S" && len(f) == 3 && len(f[1]) == length:
			d.single[f[1]] = f[2]
		case n > 0 && f[0] == "P" && len(f) == 3 && len(f[1]) >= bankLength:
			d.starts[f[1]] = f[2]
		default:
			err = errors.New("unknown form")
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n+1, err)
		}
	}
	if len(d.own) == 0 || d.Source == "" || d.Date.IsZero() {
		return nil, errors.New("the banks, the source or its date is missing")
	}
	d.list()
	return d, nil
}

// list makes the banks that can be chosen.
func (d *Data) list() {
	codes := map[string][]string{} // of each name, or what they begin with
	for letters, b := range d.own {
		if branches := unpack(b.codes, 2); len(branches) == 1 {
			codes[b.name] = append(codes[b.name], letters+"0"+branches[0])
		} else {
			codes[b.name] = append(codes[b.name], letters+"0")
		}
	}
	for code, name := range d.single {
		codes[name] = append(codes[name], code)
	}
	for start, name := range d.starts {
		codes[name] = append(codes[name], start)
	}
	for name, all := range codes {
		b := Bank{Name: name, Prefix: all[0]}
		for _, code := range all[1:] {
			b.Prefix = b.Prefix[:shared(b.Prefix, code)]
		}
		switch {
		case len(all) == 1 && len(all[0]) == length:
			b.Only = all[0]
		case len(b.Prefix) < prefixLength:
			b.Prefix = mostOwn(all) // its codes are of several banks
		}
		d.banks = append(d.banks, b)
	}
	slices.SortFunc(d.banks, func(a, b Bank) int {
		return strings.Compare(strings.ToLower(a.Name)+a.Name, strings.ToLower(b.Name)+b.Name)
	})
}

// mostOwn returns the letters and 0 of a bank's own codes among all; empty where it has
// none.
func mostOwn(all []string) string {
	for _, code := range all {
		if len(code) == prefixLength {
			return code
		}
	}
	return ""
}

func shared(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// unpack returns at most the first codes of a bank.
func unpack(codes string, most int) []string {
	var out []string
	eachCode(codes, func(branch []byte) bool {
		out = append(out, string(branch))
		return len(out) < most
	})
	return out
}

// eachCode calls next with each branch code, until it returns false.
func eachCode(codes string, next func(branch []byte) bool) {
	branch := make([]byte, 0, length-prefixLength)
	for at := 0; at < len(codes); {
		kept := min(int(codes[at]-'a'), len(branch)) // small letters are counts
		end := at + 1
		for end < len(codes) && codes[end] < 'a' {
			end++
		}
		branch = append(branch[:kept], codes[at+1:end]...)
		if at = end; !next(branch) {
			return
		}
	}
}

// Lookup says what is known of a code; small letters and blanks are accepted. Error:
// ErrFormat.
func (d *Data) Lookup(typed string) (Code, error) {
	code := strings.ToUpper(strings.Join(strings.Fields(typed), ""))
	if !wellFormed(code) {
		return Code{}, ErrFormat
	}
	c := Code{IFSC: code, Branch: code[prefixLength:]}
	bank, ok := d.own[code[:bankLength]]
	c.Bank = bank.name
	if ok {
		eachCode(bank.codes, func(branch []byte) bool {
			c.Known = string(branch) == c.Branch
			return !c.Known
		})
	}
	user := d.single[code]
	for n := length; user == "" && n >= bankLength; n-- {
		user = d.starts[code[:n]]
	}
	if user != "" && user != c.Bank {
		c.Bank, c.Through = user, c.Bank
	}
	return c, nil
}

func wellFormed(code string) bool {
	if len(code) != length || code[bankLength] != '0' {
		return false
	}
	for i, c := range []byte(code) {
		letter, digit := 'A' <= c && c <= 'Z', '0' <= c && c <= '9'
		if !letter && (!digit || i < bankLength) {
			return false
		}
	}
	return true
}

// maxTyped bounds what is searched for, in bytes.
const maxTyped = 100

// Search returns the banks whose name has every typed word at the beginning of one of its
// own, or whose initials or codes begin so; at most so many, the best first.
func (d *Data) Search(typed string, most int) []Bank {
	typed = strings.ToLower(strings.Join(strings.Fields(typed), " "))
	if typed == "" || len(typed) > maxTyped {
		return nil
	}
	const ranks = 4
	var found [ranks][]Bank
	for _, b := range d.banks {
		if r := rank(b, typed); r < ranks {
			found[r] = append(found[r], b)
		}
	}
	var out []Bank
	for _, some := range found {
		out = append(out, some...)
	}
	return out[:min(most, len(out))]
}

// rank is how well a bank fits, 0 the best; 4: not at all.
func rank(b Bank, typed string) int {
	words := strings.FieldsFunc(strings.ToLower(b.Name), func(r rune) bool { return !('a' <= r && r <= 'z' || '0' <= r && r <= '9') })
	all, big := "", ""
	for _, w := range words {
		if all += w[:1]; w != "of" && w != "and" && w != "the" {
			big += w[:1]
		}
	}
	switch {
	case strings.EqualFold(b.Name, typed), strings.EqualFold(b.Prefix, typed+"0"), all == typed, big == typed:
		return 0
	case strings.HasPrefix(strings.ToLower(b.Name), typed):
		return 1
	case len(typed) > 1 && (strings.HasPrefix(all, typed) || strings.HasPrefix(big, typed) || strings.HasPrefix(strings.ToLower(b.Prefix), typed)):
		return 2
	}
	for _, part := range strings.Fields(typed) {
		if !slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, part) }) {
			return 4
		}
	}
	return 3
}

// Bank returns the bank of a name, as Search gives it.
func (d *Data) Bank(name string) (Bank, bool) {
	i := slices.IndexFunc(d.banks, func(b Bank) bool { return strings.EqualFold(b.Name, strings.TrimSpace(name)) })
	if i < 0 {
		return Bank{}, false
	}
	return d.banks[i], true
}

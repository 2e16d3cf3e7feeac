// Package iin is the list of banks that a customer of AEPS may hold an account
// with: each bank's issuer identification number (IIN) and its name
// (interface.md, section 2.5).
//
// It promises a list that was checked when it was loaded, sorted by name, and that
// never changes; a *List is safe for concurrent use. Data comes from banks.csv,
// which is embedded and gives the source of each number; it is read through All,
// Known and Name.
package iin

import (
	"bytes"
	_ "embed"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
)

// Sandbox is the IIN of the sandbox test bank, the default of BankName
// (interface.md, section 2.2).
const Sandbox = "990326"

// maxBanks bounds the list, which is sent in one reply. India has at most 1,500
// banks with an IIN.
const maxBanks = 5000

// Source is where a bank's number comes from.
type Source string

// The sources. Invented numbers are in the sandbox's range 99xxxx and mean nothing
// to a real network.
const (
	Public    Source = "public sources"
	Interface Source = "interface document"
	Memory    Source = "memory"
	Invented  Source = "invented"
)

// Bank is one line of the list.
type Bank struct {
	IIN      string // six digits
	Name     string
	Source   Source
	Verified bool // the number was found in a source
}

// List is the banks. The zero value is empty; Load makes the real one.
type List struct {
	banks []Bank
	names map[string]string // by IIN
}

//go:embed banks.csv
var banks []byte

// Load reads the embedded list. An error means that it is damaged.
func Load() (*List, error) {
	list, err := Parse(bytes.NewReader(banks))
	if err != nil {
		return nil, fmt.Errorf("embedded bank list: %w", err)
	}
	return list, nil
}

// Parse reads a list in the form of banks.csv: a header, then a line for each bank
// with iin, name, source and verified. It refuses a list without the sandbox bank,
// and numbers or names that are malformed or repeated.
func Parse(r io.Reader) (*List, error) {
	in := csv.NewReader(r)
	in.Comment = '#'
	in.FieldsPerRecord = 4
	head, err := in.Read()
	if err != nil {
		return nil, fmt.Errorf("read the header: %w", err)
	}
	if got := strings.Join(head, ","); got != "iin,name,source,verified" {
		return nil, fmt.Errorf("header is %q, want \"iin,name,source,verified\"", got)
	}
	list := &List{names: map[string]string{}}
	seen := map[string]bool{}
	for {
		record, err := in.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("read a bank: %w", err)
		}
		b, err := parseBank(record)
		line, _ := in.FieldPos(0)
		if err == nil {
			err = list.add(b, seen)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
	}
	if !list.Known(Sandbox) {
		return nil, fmt.Errorf("the sandbox bank %s is missing", Sandbox)
	}
	return list, nil
}

func parseBank(record []string) (Bank, error) {
	b := Bank{IIN: record[0], Name: record[1], Source: Source(record[2])}
	if len(b.IIN) != 6 || strings.Trim(b.IIN, "0123456789") != "" {
		return Bank{}, fmt.Errorf("IIN %q is not six digits", b.IIN)
	}
	if b.Name == "" || strings.TrimSpace(b.Name) != b.Name || strings.ContainsFunc(b.Name, unprintable) {
		return Bank{}, fmt.Errorf("name %q is empty, padded or not printable", b.Name)
	}
	switch b.Source {
	case Public, Interface, Memory:
	case Invented:
		if !strings.HasPrefix(b.IIN, "99") {
			return Bank{}, fmt.Errorf("invented IIN %s is outside 99xxxx", b.IIN)
		}
	default:
		return Bank{}, fmt.Errorf("source %q is unknown", record[2])
	}
	switch record[3] {
	case "yes":
		b.Verified = true
	case "no":
	default:
		return Bank{}, fmt.Errorf("verified is %q, want yes or no", record[3])
	}
	if b.Verified != (b.Source == Public || b.Source == Interface) {
		return Bank{}, fmt.Errorf("verified is %s, which contradicts the source %q", record[3], b.Source)
	}
	return b, nil
}

func unprintable(r rune) bool { return !unicode.IsPrint(r) || r == unicode.ReplacementChar }

func (l *List) add(b Bank, seen map[string]bool) error {
	if len(l.banks) == maxBanks {
		return fmt.Errorf("more than %d banks", maxBanks)
	}
	if _, twice := l.names[b.IIN]; twice {
		return fmt.Errorf("IIN %s is repeated", b.IIN)
	}
	name := strings.ToLower(b.Name)
	if seen[name] {
		return fmt.Errorf("bank %q is repeated", b.Name)
	}
	if n := len(l.banks); n > 0 && strings.ToLower(l.banks[n-1].Name) > name {
		return fmt.Errorf("bank %q is not in the order of names", b.Name)
	}
	seen[name] = true
	l.names[b.IIN] = b.Name
	l.banks = append(l.banks, b)
	return nil
}

// All gives the banks, sorted by name, in a new slice.
func (l *List) All() []Bank { return slices.Clone(l.banks) }

// Known tells whether the list has the IIN.
func (l *List) Known(iin string) bool {
	_, ok := l.names[iin]
	return ok
}

// Name gives the name of an IIN's bank; "": unknown.
func (l *List) Name(iin string) string { return l.names[iin] }

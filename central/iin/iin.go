// Package iin is the list of banks that a customer of AEPS may hold an account
// with: each bank's issuer identification number (IIN) and its name
// (interface.md, section 2.5).
//
// It promises a list that is sorted by name and never changes; a *List is safe for
// concurrent use. Data comes from banks.csv, which is embedded, gives the source of
// each number and is checked by the tests; it is read through All, Known and Name.
package iin

import (
	"bytes"
	_ "embed"
	"encoding/csv"
	"fmt"
	"slices"
)

// Sandbox is the IIN of the sandbox test bank, the default of BankName
// (interface.md, section 2.2).
const Sandbox = "990326"

// Bank is one line of the list.
type Bank struct {
	IIN  string // six digits
	Name string
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
	records, err := parse()
	if err != nil {
		return nil, fmt.Errorf("embedded bank list: %w", err)
	}
	list := &List{names: map[string]string{}}
	for _, r := range records {
		if r[0] == "iin" {
			continue // the header
		}
		list.banks = append(list.banks, Bank{IIN: r[0], Name: r[1]})
		list.names[r[0]] = r[1]
	}
	if !list.Known(Sandbox) {
		return nil, fmt.Errorf("embedded bank list: the sandbox bank %s is missing", Sandbox)
	}
	return list, nil
}

// parse gives the header iin,name,source,verified and a record for each bank.
func parse() ([][]string, error) {
	in := csv.NewReader(bytes.NewReader(banks))
	in.Comment = '#'
	in.FieldsPerRecord = 4
	return in.ReadAll()
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

package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

func main() {
	folder := flag.String("package", "", "folder of the unpacked npm package ifsc")
	date := flag.String("date", "", "day of the package's publication: 2026-08-24")
	out := flag.String("out", "", "file to write")
	flag.Parse()
	if err := run(*folder, *date, *out); err != nil {
		fmt.Fprintln(os.Stderr, "ifscdata:", err)
		os.Exit(1)
	}
}

func run(folder, date, out string) error {
	if _, err := time.Parse(time.DateOnly, date); err != nil {
		return fmt.Errorf("the date: %w", err)
	}
	p, err := read(folder)
	if err != nil {
		return err
	}
	text, err := p.lines(date)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression) // without a time: the same bytes each time
	if err != nil {
		return err
	}
	if _, err := w.Write(text); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return os.WriteFile(out, b.Bytes(), 0o644)
}

// files is what the package holds.
type files struct {
	version string
	codes   map[string][]string // branch codes by the bank's four letters
	names   map[string]string   // of banks, by four letters
	single  map[string]string   // codes of banks that use another's: four letters of the bank
	starts  map[string]string   // the same by the first letters of codes; four letters or a name
}

func read(folder string) (files, error) {
	f := files{codes: map[string][]string{}}
	var about struct{ Name, Version, License string }
	var codes map[string][]any
	for file, into := range map[string]any{
		"package.json": &about, "src/IFSC.json": &codes, "src/banknames.json": &f.names, "src/sublet.json": &f.single, "src/custom-sublets.json": &f.starts,
	} {
		b, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(file)))
		if err != nil {
			return f, err
		}
		if err := json.Unmarshal(b, into); err != nil {
			return f, fmt.Errorf("%s: %w", file, err)
		}
	}
	if about.Name != "ifsc" || about.License != "MIT" || about.Version == "" {
		return f, fmt.Errorf("%s is %s %s under %q, not the package ifsc under the MIT licence", folder, about.Name, about.Version, about.License)
	}
	f.version = about.Version
	for bank, all := range codes {
		for _, branch := range all {
			switch v := branch.(type) {
			case float64: // digits only, without their zeros
				f.codes[bank] = append(f.codes[bank], fmt.Sprintf("%06d", int(v)))
			case string:
				f.codes[bank] = append(f.codes[bank], v)
			default:
				return f, fmt.Errorf("src/IFSC.json: a code of %s is neither number nor text", bank)
			}
		}
	}
	return f, nil
}

var (
	bankCode   = regexp.MustCompile(`^[A-Z]{4}$`)
	branchCode = regexp.MustCompile(`^[A-Z0-9]{6}$`)
	codeStart  = regexp.MustCompile(`^[A-Z]{4}(0[A-Z0-9]{0,6})?$`)
)

// lines returns the file's text.
func (f files) lines(date string) ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "galla-ifsc\t1\nsource\tnpm package ifsc %s of Razorpay, MIT licence\ndate\t%s\n", f.version, date)
	if len(f.codes) == 0 {
		return nil, errors.New("src/IFSC.json has no codes")
	}
	for _, bank := range slices.Sorted(maps.Keys(f.codes)) {
		all := slices.Compact(slices.Sorted(slices.Values(f.codes[bank])))
		packed, err := pack(all)
		if err != nil || !bankCode.MatchString(bank) {
			return nil, fmt.Errorf("src/IFSC.json: bank %s: %w", bank, errors.Join(err, errors.New("unexpected form")))
		}
		name, err := clean(f.names[bank], bank)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "B\t%s\t%s\t%s\n", bank, name, packed)
	}
	for _, kind := range []struct {
		mark  string
		codes map[string]string
	}{{"S", f.single}, {"P", f.starts}} {
		for _, code := range slices.Sorted(maps.Keys(kind.codes)) {
			bank := kind.codes[code]
			name, err := clean(f.names[bank], bank)
			if err != nil || !codeStart.MatchString(code) {
				return nil, fmt.Errorf("the code %q of bank %q: %w", code, bank, errors.Join(err, errors.New("unexpected form")))
			}
			fmt.Fprintf(&b, "%s\t%s\t%s\n", kind.mark, code, name)
		}
	}
	return b.Bytes(), nil
}

// clean returns a name on one line, or the instead of a bank without one.
func clean(name, instead string) (string, error) {
	name = strings.Join(strings.Fields(name), " ")
	if name == "" {
		name = instead
	}
	if name == "" || strings.ContainsAny(name, "\t\n<>") {
		return "", fmt.Errorf("a bank's name %q has an unexpected character", name)
	}
	return name, nil
}

func pack(sorted []string) (string, error) {
	var b strings.Builder
	before := ""
	for _, code := range sorted {
		if !branchCode.MatchString(code) {
			return "", fmt.Errorf("branch code %q", code)
		}
		same := 0
		for same < len(before) && before[same] == code[same] {
			same++
		}
		b.WriteByte(byte('a' + same))
		b.WriteString(code[same:])
		before = code
	}
	return b.String(), nil
}

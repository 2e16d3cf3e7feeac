// Package i18ntest checks catalogues of texts in tests.
package i18ntest

import (
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"

	goi18n "github.com/nicksnyder/go-i18n/v2/i18n"
	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"

	"galla/edge/i18n"
)

// variable matches a variable of a text.
var variable = regexp.MustCompile(`\{[^{}]*\}`)

// Check reports the errors of a catalogue: missing and surplus texts, variables that differ
// from the English ones, missing plural forms, spaces at an end, and texts in the wrong
// script. same are keys with one text for all languages, such as names.
func Check(t testing.TB, c i18n.Catalogue, same ...string) {
	t.Helper()
	for _, fault := range faults(c, same) {
		t.Error(fault)
	}
}

func faults(c i18n.Catalogue, same []string) []string {
	english, err := read(c, i18n.English)
	if err != nil {
		return []string{err.Error()}
	}
	var out []string
	for _, l := range i18n.Languages() {
		found, err := read(c, l.Code)
		if errors.Is(err, fs.ErrNotExist) {
			out = append(out, fmt.Sprintf("%s has no texts in %s: add messages/%s.json", c.Owner, l.Name, l.Code))
			continue
		}
		if err != nil {
			out = append(out, err.Error())
			continue
		}
		for _, fault := range checkMessages(english, found, l, same) {
			out = append(out, c.Owner+": messages/"+l.Code+".json: "+fault)
		}
	}
	slices.Sort(out)
	return out
}

// read returns the texts of one language by key.
func read(c i18n.Catalogue, code string) (map[string]*goi18n.Message, error) {
	raw, err := fs.ReadFile(c.Files, "messages/"+code+".json")
	if err != nil {
		return nil, err
	}
	file, err := goi18n.ParseMessageFileBytes(raw, code+".json", nil)
	if err != nil {
		return nil, fmt.Errorf("%s: messages/%s.json: %w", c.Owner, code, err)
	}
	found := map[string]*goi18n.Message{}
	for _, m := range file.Messages {
		found[m.ID] = m
	}
	return found, nil
}

func checkMessages(english, found map[string]*goi18n.Message, l i18n.Language, same []string) (out []string) {
	for key := range found {
		if english[key] == nil {
			out = append(out, key+" has no English text")
		}
	}
	for key, want := range english {
		got := found[key]
		if got == nil {
			out = append(out, key+" is missing")
			continue
		}
		if counted := want.One != ""; counted != (got.One != "") {
			out = append(out, fmt.Sprintf("%s depends on a number: %v, in English: %v", key, !counted, counted))
		}
		for form, text := range forms(got) {
			if text == "" {
				if got.One != "" && needsForm(l.Code, form) {
					out = append(out, fmt.Sprintf("%s lacks its plural form %q", key, form))
				}
				continue
			}
			out = append(out, checkText(key, form, want, text, l, same)...)
		}
	}
	return out
}

// forms returns a message's texts by plural form.
func forms(m *goi18n.Message) map[string]string {
	return map[string]string{"zero": m.Zero, "one": m.One, "two": m.Two, "few": m.Few, "many": m.Many, "other": m.Other}
}

// needsForm reports whether a language has a plural form of its own for some whole number
// that a counter shows.
func needsForm(code, form string) bool {
	forms := map[plural.Form]string{plural.Zero: "zero", plural.One: "one", plural.Two: "two", plural.Few: "few", plural.Many: "many", plural.Other: "other"}
	for n := range 200 {
		if forms[plural.Cardinal.MatchPlural(language.Make(code), n, 0, 0, 0, 0)] == form {
			return true
		}
	}
	return false
}

func checkText(key, form string, english *goi18n.Message, text string, l i18n.Language, same []string) (out []string) {
	if text != strings.TrimSpace(text) {
		out = append(out, fmt.Sprintf("%s begins or ends with a space", key))
	}
	if strings.HasPrefix(key, "number.") { // each language composes its numbers by its own rules
		return out
	}
	want, got := variables(english.Other), variables(text)
	if form != "other" && !slices.Contains(got, "{n}") { // "one day" needs no number
		want = slices.DeleteFunc(want, func(v string) bool { return v == "{n}" })
	}
	if !slices.Equal(want, got) {
		out = append(out, fmt.Sprintf("%s has the variables %v, the English text has %v", key, got, want))
	}
	if l.Code == i18n.English || slices.Contains(same, key) || !hasLetters(english.Other) {
		return out
	}
	if !inScript(text, l.Code) {
		out = append(out, fmt.Sprintf("%s is not in the script of %s: %q", key, l.Name, text))
	}
	return out
}

func variables(text string) []string {
	found := variable.FindAllString(text, -1)
	slices.Sort(found)
	return slices.Compact(found)
}

// hasLetters reports whether a text has letters outside its variables.
func hasLetters(text string) bool {
	return strings.ContainsFunc(variable.ReplaceAllString(text, ""), func(r rune) bool { return r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' })
}

// scripts are the Unicode blocks of the languages.
var scripts = map[string][2]rune{
	"hi": {0x0900, 0x097f}, "mr": {0x0900, 0x097f}, "bn": {0x0980, 0x09ff}, "te": {0x0c00, 0x0c7f}, "ta": {0x0b80, 0x0bff},
}

func inScript(text, code string) bool {
	block := scripts[code]
	foreign := strings.ContainsFunc(text, func(r rune) bool {
		for _, other := range scripts {
			if other != block && r >= other[0] && r <= other[1] && r != '।' && r != '॥' {
				return true
			}
		}
		return false
	})
	return !foreign && strings.ContainsFunc(text, func(r rune) bool { return r >= block[0] && r <= block[1] })
}

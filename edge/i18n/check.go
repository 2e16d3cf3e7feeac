package i18n

import (
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"

	"github.com/nicksnyder/go-i18n/v2/i18n"
	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
)

// variable matches a variable of a text.
var variable = regexp.MustCompile(`\{[^{}]*\}`)

// CheckCatalogue returns the errors of a catalogue, one sentence each, for tests: missing
// and surplus texts, variables that differ from the English ones, missing plural forms,
// spaces at an end, and texts in the wrong script. same are keys with one text for all
// languages, such as names.
func CheckCatalogue(c Catalogue, same ...string) []string {
	english, err := c.read(English)
	if err != nil {
		return []string{err.Error()}
	}
	var faults []string
	for _, l := range languages {
		found, err := c.read(l.Code)
		if errors.Is(err, fs.ErrNotExist) {
			faults = append(faults, fmt.Sprintf("%s has no texts in %s: add messages/%s.json", c.Owner, l.Name, l.Code))
			continue
		}
		if err != nil {
			faults = append(faults, err.Error())
			continue
		}
		for _, fault := range checkMessages(english, found, l, same) {
			faults = append(faults, c.Owner+": messages/"+l.Code+".json: "+fault)
		}
	}
	slices.Sort(faults)
	return faults
}

func checkMessages(english, found map[string]*i18n.Message, l Language, same []string) (faults []string) {
	for key := range found {
		if english[key] == nil {
			faults = append(faults, key+" has no English text")
		}
	}
	for key, want := range english {
		got := found[key]
		if got == nil {
			faults = append(faults, key+" is missing")
			continue
		}
		if counted := want.One != ""; counted != (got.One != "") {
			faults = append(faults, fmt.Sprintf("%s depends on a number: %v, in English: %v", key, !counted, counted))
		}
		for form, text := range forms(got) {
			if text == "" {
				if got.One != "" && needsForm(l.Code, form) {
					faults = append(faults, fmt.Sprintf("%s lacks its plural form %q", key, form))
				}
				continue
			}
			faults = append(faults, checkText(key, form, want, text, l, same)...)
		}
	}
	return faults
}

// forms returns a message's texts by plural form.
func forms(m *i18n.Message) map[string]string {
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

func checkText(key, form string, english *i18n.Message, text string, l Language, same []string) (faults []string) {
	if text != strings.TrimSpace(text) {
		faults = append(faults, fmt.Sprintf("%s begins or ends with a space", key))
	}
	if strings.HasPrefix(key, "number.") { // each language composes its numbers by its own rules
		return faults
	}
	want, got := variables(english.Other), variables(text)
	if form != "other" && !slices.Contains(got, "{n}") { // "one day" needs no number
		want = slices.DeleteFunc(want, func(v string) bool { return v == "{n}" })
	}
	if !slices.Equal(want, got) {
		faults = append(faults, fmt.Sprintf("%s has the variables %v, the English text has %v", key, got, want))
	}
	if l.Code == English || slices.Contains(same, key) || !hasLetters(english.Other) {
		return faults
	}
	if !inScript(text, l.Code) {
		faults = append(faults, fmt.Sprintf("%s is not in the script of %s: %q", key, l.Name, text))
	}
	return faults
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

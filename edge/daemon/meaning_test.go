package daemon

import (
	"testing"

	"galla/edge/codes"
	"galla/edge/help"
	"galla/edge/words"
)

// TestMeaningIsInTheSlipsLanguage: a refusal's reason never stands on a slip in
// a language that the customer did not choose.
func TestMeaningIsInTheSlipsLanguage(t *testing.T) {
	book, err := words.Load(words.Catalogue{Room: "help", Files: help.New().Files()})
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range words.Languages() {
		for _, c := range codes.All() {
			got := meaning(book.In(l.Code), c.Code)
			if got == "" || (got == c.Meaning) != (l.Code == words.English) {
				t.Errorf("%s: %s means %q", l.Name, c.Code, got)
			}
		}
	}
	if got := meaning(book.In("hi"), "a code that no bank has"); got == "a code that no bank has" {
		t.Errorf("an unknown code means %q", got)
	}
}

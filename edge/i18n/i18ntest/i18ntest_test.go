package i18ntest

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"galla/edge/i18n"
)

// TestTexts: every language has every text of package i18n.
func TestTexts(t *testing.T) { Check(t, i18n.Catalogue{Owner: "i18n", Files: os.DirFS("..")}) }

func TestFaults(t *testing.T) {
	all := map[string]string{
		"en": `{"a": "Take {x}", "b": {"one": "{n} day", "other": "{n} days"}, "c": "Name", "d": "Old"}`,
		"hi": `{"a": "लें {x}", "b": {"one": "{n} दिन", "other": "{n} दिन"}, "c": "नाम", "d": "पुराना"}`,
		"mr": `{"a": "घ्या {y}", "b": "{n} दिवस", "c": "नाव", "d": "जुने"}`,
		"bn": `{"a": "নিন {x}", "b": {"one": "{n} দিন", "other": "{n} দিন"}, "c": "Name", "d": "पुराना", "e": "বেশি"}`,
		"te": `{"a": "తీసుకోండి {x}", "b": {"other": "{n} రోజులు"}, "c": " పేరు", "d": "పాత"}`,
	}
	files := fstest.MapFS{}
	for code, text := range all {
		files["messages/"+code+".json"] = &fstest.MapFile{Data: []byte(text)}
	}
	got := strings.Join(faults(i18n.Catalogue{Owner: "r", Files: files}, nil), "\n")
	for _, want := range []string{
		"messages/mr.json: a has the variables [{y}], the English text has [{x}]", "messages/mr.json: b depends on a number: false",
		`messages/bn.json: c is not in the script of বাংলা`, "messages/bn.json: d is not in the script", "messages/bn.json: e has no English text",
		"messages/te.json: b depends on a number: false", "messages/te.json: c begins or ends with a space", "r has no texts in தமிழ்",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q was not found in:\n%s", want, got)
		}
	}
	if strings.Contains(got, "hi.json") {
		t.Errorf("faults in a good file:\n%s", got)
	}
}

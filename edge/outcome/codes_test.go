package outcome

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"galla/edge/i18n"
)

func TestOf(t *testing.T) {
	for code, class := range map[string]Class{
		"00": ClassApproved, "51": ClassFinal, "91": ClassRetryLater, "68": ClassUncertain, "U3": ClassRetry, " u3\n": ClassRetry, "wx": ClassSupport,
		"": ClassUnknown, "  ": ClassUnknown, "ZZ": ClassUnknown, "\x1b[31m999999999999": ClassUnknown, "₹": ClassUnknown, "005": ClassUnknown,
	} {
		c := Lookup(FamilyBank, code)
		if c.Class != class {
			t.Errorf("Of(%q) is %s, want %s", code, c.Class, class)
		}
		if meaning, advice := codeTexts(t, c); len(c.Code) > maxCode || strings.ContainsAny(meaning+advice, "\x1b\n") {
			t.Errorf("Of(%q) = %+q", code, c)
		}
	}
	if meaning, _ := codeTexts(t, Lookup(FamilyBank, "Z9")); !strings.Contains(meaning, "Z9") {
		t.Errorf("an unknown code: %s", meaning)
	}
}

// codeTexts returns the English texts of a bank's code.
func codeTexts(t *testing.T, c Code) (meaning, advice string) {
	t.Helper()
	book := texts(t)
	w := book.Localizer(i18n.English)
	m, a := c.TextKeys()
	if !w.Has(m) || !w.Has(a) {
		t.Fatalf("%q has no texts %s, %s", c.Code, m, a)
	}
	return w.Text(m, "code", c.Code), w.Text(a)
}

func TestEveryCodeSaysWhatToDo(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range Codes(FamilyBank) {
		if seen[c.Code] {
			t.Errorf("%s stands twice", c.Code)
		}
		seen[c.Code] = true
		meaning, advice := codeTexts(t, c)
		if Lookup(FamilyBank, c.Code) != c || meaning == "" || advice == "" {
			t.Errorf("%+v", c)
		}
		if strings.Contains(strings.ToLower(advice), "give cash") {
			t.Errorf("%s says to give cash: %s", c.Code, advice)
		}
	}
}

// TestTheDesignsTable reads the table of domain.md, section 4: every code
// of it must be known here, with its class.
func TestTheDesignsTable(t *testing.T) {
	text, err := os.ReadFile("../../deploy/docs/design/domain.md")
	if err != nil {
		t.Fatal(err)
	}
	classes := map[string]Class{"F": ClassFinal, "R": ClassRetry, "L": ClassRetryLater, "S": ClassSupport, "P": ClassUncertain}
	_, section, _ := strings.Cut(string(text), "## 4. AEPS response codes")
	section, _, _ = strings.Cut(section, "\n## ")
	row := regexp.MustCompile(`(?m)^\|([^|]*)\|([^|]*)\|([^|]*)\|$`)
	found := 0
	for _, m := range row.FindAllStringSubmatch(section, -1) {
		groups := strings.Split(m[1], "/")
		if strings.Contains(m[1], "code") || strings.Contains(m[1], "---") {
			continue
		}
		letters := strings.Split(m[3], "/")
		if len(letters) != len(groups) {
			letters = strings.Split(strings.Repeat(m[3]+"\x00", len(groups)), "\x00")[:len(groups)]
		}
		for i, group := range groups {
			want := classes[strings.TrimSpace(letters[i] + " ")[:min(1, len(strings.TrimSpace(letters[i])))]]
			for _, code := range codesIn(group) {
				found++
				c := Lookup(FamilyBank, code)
				if c.Class == ClassUnknown {
					t.Errorf("%s of the design is not known", code)
				} else if code != "00" && c.Class != want {
					t.Errorf("%s is %s, the design says %q", code, c.Class, m[3])
				}
			}
		}
	}
	if found != len(Codes(FamilyBank)) {
		t.Errorf("the design has %d codes, the table %d", found, len(Codes(FamilyBank)))
	}
}

// codesIn reads 'V0, V1' and 'WF–WI'.
func codesIn(text string) []string {
	var codes []string
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' }) {
		from, to, ranged := strings.Cut(word, "–")
		if !ranged {
			codes = append(codes, from)
			continue
		}
		for c := from[1]; c <= to[1]; c++ {
			codes = append(codes, string([]byte{from[0], c}))
		}
	}
	return codes
}

// TestUncertainNeverSaysAgain: where money may have moved, a second try may move
// it twice.
func TestUncertainNeverSaysAgain(t *testing.T) {
	for _, c := range Codes(FamilyBank) {
		_, advice := codeTexts(t, c)
		low := strings.ToLower(advice)
		if c.Class == ClassUncertain && (strings.Contains(low, "again") || strings.Contains(low, "another")) {
			t.Errorf("%s is uncertain, and says: %s", c.Code, advice)
		}
	}
	if _, advice := codeTexts(t, Lookup(FamilyBank, "91")); !strings.HasPrefix(advice, "Once the screen says that no money moved") {
		t.Errorf("91 may be the network's own on silence, and says: %s", advice)
	}
}

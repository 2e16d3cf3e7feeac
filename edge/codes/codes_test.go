package codes

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

func TestOf(t *testing.T) {
	for code, class := range map[string]Class{
		"00": Approved, "51": Final, "91": Later, "68": Uncertain, "U3": Again, " u3\n": Again, "wx": Support,
		"": Unknown, "  ": Unknown, "ZZ": Unknown, "\x1b[31m999999999999": Unknown, "₹": Unknown, "005": Unknown,
	} {
		c := Of(code)
		if c.Class != class {
			t.Errorf("Of(%q) is %s, want %s", code, c.Class, class)
		}
		if len(c.Code) > maxCode || strings.ContainsAny(c.Meaning+c.Advice, "\x1b\n") {
			t.Errorf("Of(%q) = %+q", code, c)
		}
	}
	if c := Of("Z9"); !strings.Contains(c.Meaning, "Z9") || !strings.HasPrefix(c.Advice, noCash) {
		t.Errorf("an unknown code: %+v", c)
	}
}

func TestEveryCodeSaysWhatToDo(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range All() {
		if seen[c.Code] {
			t.Errorf("%s stands twice", c.Code)
		}
		seen[c.Code] = true
		if Of(c.Code) != c || c.Meaning == "" || c.Advice == "" {
			t.Errorf("%+v", c)
		}
		if c.Class != Approved && !strings.HasPrefix(c.Advice, noCash) {
			t.Errorf("%s does not begin with 'do not give cash': %s", c.Code, c.Advice)
		}
		if strings.Contains(strings.ToLower(strings.ReplaceAll(c.Advice, noCash, "")), "give cash") {
			t.Errorf("%s says to give cash: %s", c.Code, c.Advice)
		}
	}
}

// TestTheDesignsTable reads the table of the design's domain notes: every code
// of it must be known here, with its class.
func TestTheDesignsTable(t *testing.T) {
	text, err := os.ReadFile("../../../shared/design/domain.md")
	if err != nil {
		t.Skip("the design's domain.md does not lie beside the repository; its table is checked where it does")
	}
	classes := map[string]Class{"F": Final, "R": Again, "L": Later, "S": Support, "P": Uncertain}
	_, section, _ := strings.Cut(string(text), "## AEPS response codes")
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
				c := Of(code)
				if c.Class == Unknown {
					t.Errorf("%s of the design is not known", code)
				} else if code != "00" && c.Class != want {
					t.Errorf("%s is %s, the design says %q", code, c.Class, m[3])
				}
			}
		}
	}
	if found != len(All()) {
		t.Errorf("the design has %d codes, the table %d", found, len(All()))
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
	for _, c := range All() {
		low := strings.ToLower(c.Advice)
		if c.Class == Uncertain && (strings.Contains(low, "again") || strings.Contains(low, "another")) {
			t.Errorf("%s is uncertain, and says: %s", c.Code, c.Advice)
		}
	}
	if c := Of("91"); !strings.HasPrefix(c.Advice, noCash+"Once the screen says that no money moved") {
		t.Errorf("91 may be the network's own on silence, and says: %s", c.Advice)
	}
}

package archtest

import (
	"fmt"
	"path"
	"regexp"
	"strings"
	"testing"
)

// Folders of the documents that comments cite by section.
const (
	handbookFolder = "deploy/docs"
	designFolder   = "deploy/docs/design"
)

// lookedUp are folders in which a cited file may be, beside the root and the folder of
// the file that cites it.
var lookedUp = []string{"", handbookFolder, designFolder}

// notOurs are names in comments that look like files of the tree and are none; the value
// is what they are.
var notOurs = map[string]string{
	"build/gallery/index.html":         "made by make gallery",
	"deploy/docs/agents-guide/en.html": "made by make guide",
	"doc.go":                           "one in each package",
	"edge.toml":                        "the settings of a counter on Windows",
	"edge.default.toml":                "made by the setup",
	"/etc/galla/central.toml":          "an operator's copy",
	"/etc/galla/edge.toml":             "an operator's copy",
	"/etc/patroni/config.yml":          "an operator's copy",
	"prometheus.yml":                   "of Prometheus",
	"go.yaml":                          "how the module go.yaml.in/yaml begins",
}

var (
	citedFile = regexp.MustCompile(`(?:^|[\s(\[` + "`" + `'",;])((?:/?[\w.-]+/)*[\w][\w.-]*\.(?:md|go|html|css|mjs|js|sql|sh|ya?ml|cfg|toml|php|py|java))(?:$|[\s)\]` + "`" + `'",;:.#])`)
	// citedSection finds 'section 4.2' with the document that it names, before or behind.
	citedSection = regexp.MustCompile(`(?:([\w-]+\.md|RFC \d+|SP [\w-]+)\)?,? \(?)?\b[Ss]ections? (\d+(?:\.\d+)*(?:(?:, and|,| and| to| or) \d+(?:\.\d+)*)*)(?: of (?:the )?([\w-]+\.md|RFC \d+))?`)
	number       = regexp.MustCompile(`\d+(?:\.\d+)*`)
)

func TestCitedFiles(t *testing.T) { enforce(t, citedFiles) }

// citedFiles checks that each file that a comment or a document names exists: from the
// root, in the folder of the file that names it, below deploy/docs, or anywhere if its
// name is unique.
func citedFiles(h *repo) []string {
	var out []string
	for _, p := range sortedKeys(h.texts) {
		for _, b := range remarks(p, h.texts[p]) {
			// Each name may share its separator with the next one, so the search steps.
			for rest := b.text; ; {
				m := citedFile.FindStringSubmatchIndex(rest)
				if m == nil {
					break
				}
				name := rest[m[2]:m[3]]
				rest = rest[m[3]:]
				if notOurs[name] == "" && !h.exists(p, name) {
					out = append(out, fmt.Sprintf("%s:%d names %s, which does not exist: name it from the root, or say whose it is in notOurs (shared/archtest/citations_test.go).", p, b.line, name))
				}
			}
		}
	}
	return out
}

func TestCitedSections(t *testing.T) { enforce(t, citedSections) }

// citedSections checks that each 'section N' of a comment names its document, and that
// the document has the section. A document needs no name for its own sections.
func citedSections(h *repo) []string {
	var out []string
	for _, p := range sortedKeys(h.texts) {
		own := ""
		if path.Ext(p) == ".md" {
			own = p
		}
		for _, b := range remarks(p, h.texts[p]) {
			for _, m := range citedSection.FindAllStringSubmatch(b.text, -1) {
				document := own
				switch named := m[1] + m[3]; {
				case strings.HasPrefix(named, "RFC "), strings.HasPrefix(named, "SP "):
					continue
				case named != "":
					document = documentNamed(h, named)
				case own == "":
					out = append(out, fmt.Sprintf("%s:%d says %q without its document: write 'interface.md, section 4.2'.", p, b.line, m[0]))
					continue
				}
				text, ok := h.texts[document]
				if !ok {
					out = append(out, fmt.Sprintf("%s:%d says %q, and %s does not exist.", p, b.line, m[0], document))
					continue
				}
				for _, n := range number.FindAllString(m[2], -1) {
					if !hasSection(text, n) {
						out = append(out, fmt.Sprintf("%s:%d says %q, and %s has no section %s.", p, b.line, m[0], document, n))
					}
				}
			}
		}
	}
	return out
}

// documentNamed is the path of a document that comments cite: the handbook has those that
// partners read, too.
func documentNamed(h *repo, name string) string {
	if _, ok := h.texts[handbookFolder+"/"+name]; ok {
		return handbookFolder + "/" + name
	}
	return designFolder + "/" + name
}

func hasSection(text, n string) bool {
	return regexp.MustCompile(`(?m)^#+ ` + regexp.QuoteMeta(n) + `\.? `).MatchString(text)
}

// isCited reports whether a comment or a document contains a name.
func isCited(h *repo, name string) bool {
	for p, text := range h.texts {
		if !strings.Contains(text, name) {
			continue
		}
		for _, b := range remarks(p, text) {
			if strings.Contains(b.text, name) {
				return true
			}
		}
	}
	return false
}

// exists reports whether a file cites another one by a name that leads to it.
func (h *repo) exists(from, name string) bool {
	for _, dir := range append([]string{path.Dir(from)}, lookedUp...) {
		if h.paths[path.Join(dir, name)] {
			return true
		}
	}
	found := 0
	for p := range h.paths {
		if strings.HasSuffix(p, "/"+name) {
			found++
		}
	}
	return found == 1 || found > 0 && strings.Contains(name, "/")
}

// remark is a comment, or a line of a document.
type remark struct {
	line int // of its beginning
	text string
}

// commentMarks are how comments begin, by a file's ending. Documents are remarks
// altogether.
var commentMarks = map[string]string{
	".go": "//", ".js": "//", ".mjs": "//", ".sql": "--", ".sh": "#", ".yml": "#", ".yaml": "#", ".toml": "#", ".md": "",
}

// remarks gives a file's comments, each block of lines as one text, and a document's
// paragraphs.
func remarks(p, text string) []remark {
	mark, ok := commentMarks[path.Ext(p)]
	if !ok || strings.Contains(p, "/testdata/") || strings.HasPrefix(p, "shared/archtest/") {
		return nil
	}
	var out []remark
	open, fenced := false, false
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		said, whole := strings.CutPrefix(line, mark)
		switch {
		case mark == "" && strings.HasPrefix(line, "```"):
			fenced, open = !fenced, false
			continue
		case mark == "" && (fenced || line == ""):
			open = false
			continue
		case !whole:
			open = false
			if mark != "//" {
				continue
			}
			_, behind, found := strings.Cut(line, " // ")
			if !found || strings.Contains(behind, `"`) {
				continue
			}
			out = append(out, remark{i + 1, strings.TrimSpace(behind)})
			continue
		case strings.HasPrefix(said, "go:"):
			continue
		}
		if open {
			out[len(out)-1].text += " " + strings.TrimSpace(said)
			continue
		}
		out = append(out, remark{i + 1, strings.TrimSpace(said)})
		open = true
	}
	return out
}

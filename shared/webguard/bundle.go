package webguard

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"regexp"
	"strings"
)

// Bundle adds a file with the content of others, so that a page needs one request for
// them: styles one after the other; modules in the order in which a browser runs them, each
// once, with those that they import. The name is new and has the extension of all parts.
//
// Modules import from files beside them, and import and export by name, on lines of their
// own, as in edge/ui/static/cash.js and edge/ui/static/live.js. Anything else, and an import
// in a circle, is an error. Comments stay out: those of styles, and lines of scripts that
// begin with //, so no text of a script may have such a line. It may be called until the
// first URL.
func (s *Static) Bundle(name string, parts ...string) error {
	if s.Has(name) {
		return fmt.Errorf("two files are called %s", name)
	}
	b := bundler{files: s.files, done: map[string]bool{}}
	for _, part := range parts {
		if !s.Has(part) || path.Ext(part) != path.Ext(name) {
			return fmt.Errorf("no file %s for %s", part, name)
		}
		if path.Ext(part) != ".js" {
			style := styleComment.ReplaceAll(s.files[part], nil)
			fmt.Fprintf(&b.out, "%s\n", bytes.TrimSpace(styleSpace.ReplaceAll(style, []byte("\n"))))
		} else if err := b.module(part); err != nil {
			return err
		}
	}
	s.files[name] = b.out.Bytes()
	sum := sha256.New()
	fmt.Fprintf(sum, "%s\x00%s\x00%s", s.hash, name, s.files[name])
	s.hash = hex.EncodeToString(sum.Sum(nil)[:8])
	return nil
}

// bundler turns modules into one: each becomes a function that returns its exports.
type bundler struct {
	files map[string][]byte
	done  map[string]bool // false: it is being added
	out   bytes.Buffer
}

var (
	importLine = regexp.MustCompile(`(?m)^import \{ ([\w, ]+) \} from '\./([\w-]+\.js)';$`)
	exportHead = regexp.MustCompile(`(?m)^export ((?:async )?function (\w+)\()`)
	// What is for people only: with it, each page of the counter would weigh a tenth more.
	scriptComment = regexp.MustCompile(`(?m)^[ \t]*//.*\n`)
	styleComment  = regexp.MustCompile(`(?s)/\*.*?\*/`)
	styleSpace    = regexp.MustCompile(`\s*\n\s*`)

	otherLine = regexp.MustCompile(`(?m)^(?:import|export)\b.*`)
)

func (b *bundler) module(name string) error {
	if done, known := b.done[name]; known {
		if !done {
			return fmt.Errorf("the module %s imports itself, through others", name)
		}
		return nil
	}
	b.done[name] = false
	source, ok := b.files[name]
	if !ok {
		return fmt.Errorf("no module %s", name)
	}
	text := scriptComment.ReplaceAllString(string(source), "")
	for _, found := range importLine.FindAllStringSubmatch(text, -1) {
		if err := b.module(found[2]); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	text = importLine.ReplaceAllStringFunc(text, func(line string) string {
		found := importLine.FindStringSubmatch(line)
		return "const { " + found[1] + " } = " + moduleName(found[2]) + ";"
	})
	var exports []string
	for _, found := range exportHead.FindAllStringSubmatch(text, -1) {
		exports = append(exports, found[2])
	}
	text = exportHead.ReplaceAllString(text, "$1")
	if other := otherLine.FindString(text); other != "" {
		return fmt.Errorf("the module %s can't be bundled: %q", name, other)
	}
	fmt.Fprintf(&b.out, "const %s = (() => {\n%s\nreturn { %s };\n})();\n", moduleName(name), strings.TrimSpace(text), strings.Join(exports, ", "))
	b.done[name] = true
	return nil
}

// moduleName is the variable of a module's exports.
func moduleName(file string) string {
	return "module_" + strings.ReplaceAll(strings.TrimSuffix(file, ".js"), "-", "_")
}

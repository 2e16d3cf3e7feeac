package generate

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// pythonGenerated begins each file.
const pythonGenerated = "# Written by deploy/sdk/generate from the OpenAPI document; do not edit.\n"

// Python writes the package's version, the types of replies, and the routes with a method
// for each.
func Python(m Model) (map[string][]byte, error) {
	return map[string][]byte{
		"src/galla/version.py": fmt.Appendf(nil, "%s\"\"\"The version of the interface, and of this package.\"\"\"\n\nVERSION = %q\n", pythonGenerated, m.Version),
		"src/galla/types.py":   pythonTypes(m),
		"src/galla/routes.py":  pythonRoutes(m),
	}, nil
}

// pythonKeywords are names of fields that Python takes for itself.
func pythonKeyword(name string) bool {
	return slices.Contains([]string{"from", "in", "class", "global", "pass"}, name)
}

// pythonName is a field as the name of an argument.
func pythonName(name string) string {
	if pythonKeyword(name) {
		return name + "_"
	}
	return name
}

// pythonType is the type of a value. Texts with listed values are Literal in requests only:
// a reply may have new ones.
func pythonType(t Type, request bool, types string) string {
	switch t.Base {
	case String:
		if request && len(t.Enum) > 0 {
			return fmt.Sprintf("Literal[%s]", pythonStrings(t.Enum))
		}
		return "str"
	case Number:
		return types + "Number"
	case Integer:
		return "int"
	case Boolean:
		return "bool"
	case ObjectT:
		return fmt.Sprintf("%s%s", types, t.Object)
	case Array:
		return fmt.Sprintf("List[%s]", pythonType(*t.Item, request, types))
	}
	return "Any"
}

func pythonStrings(list []string) string {
	quoted := make([]string, len(list))
	for i, s := range list {
		quoted[i] = fmt.Sprintf("%q", s)
	}
	return strings.Join(quoted, ", ")
}

func pythonTypes(m Model) []byte {
	var b bytes.Buffer
	b.WriteString(pythonGenerated + `"""The objects of replies, with their names on the wire. All may have further members."""

from __future__ import annotations

from decimal import Decimal
from typing import List, TypedDict, Union

Number = Union[int, Decimal]
"""A number with decimals. Amounts are rupees, with at most two."""
`)
	for _, o := range m.Objects {
		pythonObject(&b, o)
	}
	pythonObject(&b, Object{Name: "Extra", About: "What some replies have beside statusCode, message and data.", Fields: m.Extras})
	return b.Bytes()
}

// pythonObject writes an object: a class for its required fields, and one below it that
// has the others, since a TypedDict of Python 3.9 cannot hold both.
func pythonObject(b *bytes.Buffer, o Object) {
	var always, sometimes []Field
	for _, f := range o.Fields {
		if f.Required {
			always = append(always, f)
		} else {
			sometimes = append(sometimes, f)
		}
	}
	base, total := "TypedDict", ""
	if len(sometimes) > 0 {
		total = ", total=False"
	}
	if len(always) > 0 && (len(sometimes) > 0 || slices.ContainsFunc(always, func(f Field) bool { return pythonKeyword(f.Name) })) {
		base = "_" + o.Name
		pythonFields(b, base, "TypedDict", "", "", always)
		always = nil
	}
	pythonFields(b, o.Name, base, total, textOr(o.About, "An object of replies."), append(always, sometimes...))
}

// textOr is the first text that is not empty.
func textOr(text, other string) string {
	if text == "" {
		return other
	}
	return text
}

// pythonFields writes one class; by a call where a field has the name of a keyword.
func pythonFields(b *bytes.Buffer, name, base, total, about string, fields []Field) {
	if slices.ContainsFunc(fields, func(f Field) bool { return pythonKeyword(f.Name) }) {
		fmt.Fprintf(b, "\n\n%s = TypedDict(%q, {\n", name, name)
		for _, f := range fields {
			fmt.Fprintf(b, "%s    %q: %q,\n", pythonComment("    ", f.About), f.Name, pythonType(f.Type, false, ""))
		}
		b.WriteString("})\n")
		return
	}
	fmt.Fprintf(b, "\n\nclass %s(%s%s):\n", name, base, total)
	if about != "" {
		b.WriteString(pythonDoc("    ", about))
		if len(fields) > 0 {
			b.WriteString("\n")
		}
	}
	for _, f := range fields {
		fmt.Fprintf(b, "%s    %s: %s\n", pythonComment("    ", f.About), f.Name, pythonType(f.Type, false, ""))
	}
}

// pythonComment is a text as comments above a line.
func pythonComment(indent, about string) string {
	var b strings.Builder
	for _, line := range lines(about, 110-len(indent)) {
		b.WriteString(strings.TrimRight(indent+"# "+line, " ") + "\n")
	}
	return b.String()
}

// pythonDoc is a text as a docstring.
func pythonDoc(indent, about string) string {
	about = strings.NewReplacer(`\`, `\\`, `"""`, `'''`).Replace(about)
	all := lines(about, 110-len(indent))
	if len(all) == 1 {
		return fmt.Sprintf("%s\"\"\"%s\"\"\"\n", indent, all[0])
	}
	var b strings.Builder
	for i, line := range all {
		if i == 0 {
			line = `"""` + line
		}
		b.WriteString(strings.TrimRight(indent+line, " ") + "\n")
	}
	return b.String() + indent + "\"\"\"\n"
}

// lines breaks a text into lines of at most that many characters, where its words allow.
// Lines of the text stay apart.
func lines(text string, width int) []string {
	if text == "" {
		return nil
	}
	var out []string
	for _, paragraph := range strings.Split(text, "\n") {
		line := ""
		for _, word := range strings.Fields(paragraph) {
			if line != "" && len(line)+1+len(word) > width {
				out = append(out, line)
				line = ""
			}
			if line != "" {
				line += " "
			}
			line += word
		}
		out = append(out, line)
	}
	return out
}

func pythonRoutes(m Model) []byte {
	var b bytes.Buffer
	b.WriteString(pythonGenerated + `"""The routes: what the clients know of each, and a method for each."""

from typing import List, Literal, Optional, Tuple

from . import types
from ._route import Caller, Route
from .result import Result

`)
	for _, r := range m.Routes {
		fmt.Fprintf(&b, "_%s = Route(%q, %q, %q%s)\n", strings.ToUpper(Snake(r.Words)), r.Method, r.Path, r.Kind, pythonFlags(r))
	}
	b.WriteString("\nROUTES: Tuple[Route, ...] = (\n")
	for _, r := range m.Routes {
		fmt.Fprintf(&b, "    _%s,\n", strings.ToUpper(Snake(r.Words)))
	}
	b.WriteString(")\n")
	pythonMethods(&b, m, "GatewayRoutes(Caller)", "The routes that the gateway mirrors.", true)
	pythonMethods(&b, m, "DirectRoutes(GatewayRoutes)", "All routes: those of the gateway, and those that can be called directly only.", false)
	return b.Bytes()
}

// pythonFlags are the arguments of a route that differ from their defaults.
func pythonFlags(r Route) string {
	var b strings.Builder
	for _, flag := range []struct {
		name string
		set  bool
	}{{"identity", r.Identity}, {"gateway", r.Gateway}, {"open", r.Open}, {"bare", r.Reply.Bare}, {"aeps", r.Reply.AEPS}, {"transfer", r.Reply.Transfer}} {
		if flag.set {
			b.WriteString(", " + flag.name + "=True")
		}
	}
	for _, place := range []Place{InPath, InQuery, InBody} {
		if names := fieldsIn(r, place); len(names) > 0 {
			fmt.Fprintf(&b, ", in_%s=(%s,)", place, pythonStrings(names))
		}
	}
	return b.String()
}

// fieldsIn are the names of the fields of a place.
func fieldsIn(r Route, place Place) []string {
	var names []string
	for _, f := range r.Fields {
		if f.In == place {
			names = append(names, f.Name)
		}
	}
	return names
}

func pythonMethods(b *bytes.Buffer, m Model, class, about string, gateway bool) {
	fmt.Fprintf(b, "\n\nclass %s:\n    \"\"\"%s\"\"\"\n", class, about)
	for _, r := range m.Routes {
		if r.Gateway == gateway {
			pythonMethod(b, r)
		}
	}
}

func pythonMethod(b *bytes.Buffer, r Route) {
	signature, values, key := "self", make([]string, 0, len(r.Fields)), "None"
	if len(r.Fields) > 0 || r.Identity {
		signature += ", *"
	}
	for _, f := range r.Fields {
		name, kind := pythonName(f.Name), pythonType(f.Type, true, "types.")
		if f.Required {
			signature += fmt.Sprintf(", %s: %s", name, kind)
		} else {
			signature += fmt.Sprintf(", %s: Optional[%s] = None", name, kind)
		}
		values = append(values, fmt.Sprintf("%q: %s", f.Name, name))
	}
	if r.Identity {
		signature, key = signature+", idempotency_key: Optional[str] = None", "idempotency_key"
	}
	data := "None"
	if r.Reply.Data != nil {
		data = pythonType(*r.Reply.Data, false, "types.")
	}
	fmt.Fprintf(b, "\n    def %s(%s) -> Result[%s]:\n%s", Snake(r.Words), signature, data, pythonDoc("        ", pythonAbout(r)))
	fmt.Fprintf(b, "        return self._call(_%s, {%s}, %s)\n", strings.ToUpper(Snake(r.Words)), strings.Join(values, ", "), key)
}

// pythonAbout is the docstring of a method.
func pythonAbout(r Route) string {
	about := fmt.Sprintf("%s.\n\n%s %s; %s.", strings.TrimSuffix(r.Summary, "."), r.Method, r.Path, who(r))
	if r.About != "" {
		about += "\n\n" + r.About
	}
	var fields []string
	for _, f := range r.Fields {
		if f.About != "" {
			fields = append(fields, pythonName(f.Name)+": "+f.About)
		}
	}
	if len(fields) > 0 {
		about += "\n\n" + strings.Join(fields, "\n")
	}
	return about
}

// who says which roles may call a route.
func who(r Route) string {
	if r.Open {
		return "for everybody"
	}
	return "for " + strings.Join(r.Roles, ", ")
}

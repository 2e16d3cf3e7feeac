package generate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// generated begins every file of a writer whose language has comments of two strokes.
const generated = "// Written by deploy/sdk/generate from the OpenAPI document; do not edit.\n"

// Node writes src/routes.js, with the table of routes and a method for each, and its types.
func Node(m Model) (map[string][]byte, error) {
	script, err := nodeScript(m)
	if err != nil {
		return nil, err
	}
	return map[string][]byte{"src/routes.js": script, "src/routes.d.ts": nodeTypes(m)}, nil
}

// nodeRoute is a route as the client reads it.
type nodeRoute struct {
	Name       string           `json:"name"`
	Method     string           `json:"method"`
	Path       string           `json:"path"`
	Kind       Kind             `json:"kind"`
	Identity   bool             `json:"identity,omitempty"`
	Repeatable bool             `json:"repeatable,omitempty"`
	Gateway    bool             `json:"gateway,omitempty"`
	Open       bool             `json:"open,omitempty"`
	Acting     bool             `json:"acting,omitempty"`
	Pending    bool             `json:"pending,omitempty"`
	AEPS       bool             `json:"aeps,omitempty"`
	Transfer   bool             `json:"transfer,omitempty"`
	Bare       bool             `json:"bare,omitempty"`
	Extra      []string         `json:"extra,omitempty"`
	Fields     map[string]Place `json:"fields,omitempty"` // those that are not in the body
}

func nodeScript(m Model) ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%simport { invoke } from './invoke.js';\n\nexport const version = '%s';\n\nexport const routes = {\n", generated, m.Version)
	for _, r := range m.Routes {
		n := nodeRoute{
			Name: Camel(r.Words), Method: r.Method, Path: r.Path, Kind: r.Kind, Identity: r.Identity, Repeatable: r.Repeatable(), Gateway: r.Gateway,
			Open: r.Open, Acting: r.Acting, Pending: r.Reply.Pending, AEPS: r.Reply.AEPS, Transfer: r.Reply.Transfer, Bare: r.Reply.Bare,
		}
		for _, f := range r.Reply.Extra {
			n.Extra = append(n.Extra, f.Name)
		}
		for _, f := range r.Fields {
			if f.In != InBody {
				if n.Fields == nil {
					n.Fields = map[string]Place{}
				}
				n.Fields[f.Name] = f.In
			}
		}
		text, err := json.Marshal(n)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "  %s: %s,\n", n.Name, text)
	}
	b.WriteString("};\n")
	nodeMethods(&b, m, "GatewayRoutes", "", true)
	nodeMethods(&b, m, "DirectRoutes", "GatewayRoutes", false)
	return b.Bytes(), nil
}

// nodeMethods writes a class with a method for each route that is or is not at the gateway.
func nodeMethods(b *bytes.Buffer, m Model, name, base string, gateway bool) {
	extends := ""
	if base != "" {
		extends = " extends " + base
	}
	fmt.Fprintf(b, "\nexport class %s%s {\n", name, extends)
	for _, r := range m.Routes {
		if r.Gateway == gateway {
			fmt.Fprintf(b, "  %s(params, options) { return this[invoke](routes.%[1]s, params, options); }\n", Camel(r.Words))
		}
	}
	b.WriteString("}\n")
}

func nodeTypes(m Model) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%simport type { CallOptions, Result } from './index.js';\n\nexport const version: string;\n", generated)
	for _, o := range m.Objects {
		nodeInterface(&b, o.Name, o.About, o.Fields, o.Open)
	}
	nodeInterface(&b, "Extra", "What some replies have beside data.", m.Extras, false)
	for _, r := range m.Routes {
		if len(r.Fields) > 0 {
			nodeInterface(&b, Capital(r.Words)+"Params", r.Summary, r.Fields, false)
		}
	}
	nodeSignatures(&b, m, "GatewayRoutes", "", true)
	nodeSignatures(&b, m, "DirectRoutes", "GatewayRoutes", false)
	return b.Bytes()
}

func nodeInterface(b *bytes.Buffer, name, about string, fields []Field, open bool) {
	b.WriteString("\n" + nodeComment("", about))
	fmt.Fprintf(b, "export interface %s {\n", name)
	for _, f := range fields {
		optional := "?"
		if f.Required {
			optional = ""
		}
		fmt.Fprintf(b, "%s  %s%s: %s;\n", nodeComment("  ", f.About), f.Name, optional, nodeType(f.Type))
	}
	if open {
		b.WriteString("  [further: string]: unknown;\n")
	}
	b.WriteString("}\n")
}

func nodeSignatures(b *bytes.Buffer, m Model, name, base string, gateway bool) {
	extends := ""
	if base != "" {
		extends = " extends " + base
	}
	fmt.Fprintf(b, "\nexport class %s%s {\n", name, extends)
	for _, r := range m.Routes {
		if r.Gateway != gateway {
			continue
		}
		about := r.Summary + ". " + r.Method + " " + r.Path
		if r.About != "" {
			about += "\n\n" + r.About
		}
		optional := "?"
		params := "Record<string, never>"
		for _, f := range r.Fields {
			params = Capital(r.Words) + "Params"
			if f.Required {
				optional = ""
			}
		}
		data := "undefined"
		if r.Reply.Data != nil {
			data = nodeType(*r.Reply.Data)
		}
		fmt.Fprintf(b, "%s  %s(params%s: %s, options?: CallOptions): Promise<Result<%s>>;\n", nodeComment("  ", about), Camel(r.Words), optional, params, data)
	}
	b.WriteString("}\n")
}

// nodeType is the TypeScript of a type.
func nodeType(t Type) string {
	switch t.Base {
	case String:
		if len(t.Enum) > 0 {
			return "'" + strings.Join(t.Enum, "' | '") + "'"
		}
		return "string"
	case Number, Integer:
		return "number"
	case Boolean:
		return "boolean"
	case ObjectT:
		return t.Object
	case Array:
		item := nodeType(*t.Item)
		if strings.Contains(item, "|") {
			item = "(" + item + ")"
		}
		return item + "[]"
	}
	return "unknown"
}

// nodeComment is a comment of JSDoc, or nothing.
func nodeComment(indent, text string) string {
	if text == "" {
		return ""
	}
	text = strings.ReplaceAll(text, "*/", "*\u200b/")
	if !strings.Contains(text, "\n") {
		return indent + "/** " + text + " */\n"
	}
	var b strings.Builder
	b.WriteString(indent + "/**\n")
	for _, line := range strings.Split(text, "\n") {
		b.WriteString(strings.TrimRight(indent+" * "+line, " ") + "\n")
	}
	return b.String() + indent + " */\n"
}

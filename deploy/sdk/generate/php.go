package generate

import (
	"bytes"
	"fmt"
	"strings"
)

// phpHead begins each file.
const phpHead = "<?php\n\n// Written by deploy/sdk/generate from the OpenAPI document; do not edit.\n\ndeclare(strict_types=1);\n\nnamespace %s;\n"

// PHP writes the table of routes, a class for each object of replies, and two classes with
// a method for each route.
func PHP(m Model) (map[string][]byte, error) {
	files := map[string][]byte{
		"src/RouteTable.php":    phpTable(m),
		"src/GatewayRoutes.php": phpRoutes(m, "GatewayRoutes", "Internal\\Caller", "The routes that the gateway mirrors.", true),
		"src/DirectRoutes.php":  phpRoutes(m, "DirectRoutes", "GatewayRoutes", "All routes: those of the gateway, and those that can be called directly only.", false),
	}
	for _, o := range m.Objects {
		files["src/Data/"+o.Name+".php"] = phpObject(o)
	}
	return files, nil
}

// phpString is a text as PHP writes it.
func phpString(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) + "'"
}

func phpStrings(list []string) string {
	quoted := make([]string, len(list))
	for i, s := range list {
		quoted[i] = phpString(s)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// phpComment is a text as a documentation comment.
func phpComment(indent, text string) string {
	all := lines(strings.ReplaceAll(text, "*/", "* /"), 110-len(indent))
	if len(all) == 1 {
		return fmt.Sprintf("%s/** %s */\n", indent, all[0])
	}
	var b strings.Builder
	b.WriteString(indent + "/**\n")
	for _, line := range all {
		b.WriteString(strings.TrimRight(indent+" * "+line, " ") + "\n")
	}
	return b.String() + indent + " */\n"
}

func phpTable(m Model) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, phpHead, "Galla")
	fmt.Fprintf(&b, "\n/**\n * What the clients know of each route, by the name of its method.\n *\n * @internal\n */\nfinal class RouteTable\n{\n    public const VERSION = %s;\n\n    public const ROUTES = [\n", phpString(m.Version))
	for _, r := range m.Routes {
		fmt.Fprintf(&b, "        %s => ['method' => %s, 'path' => %s, 'kind' => %s%s],\n", phpString(Camel(r.Words)), phpString(r.Method), phpString(r.Path), phpString(string(r.Kind)), phpFlags(r))
	}
	b.WriteString("    ];\n}\n")
	return b.Bytes()
}

// phpFlags are the members of a route that differ from their defaults.
func phpFlags(r Route) string {
	var b strings.Builder
	for _, flag := range []struct {
		name string
		set  bool
	}{{"identity", r.Identity}, {"gateway", r.Gateway}, {"open", r.Open}, {"bare", r.Reply.Bare}, {"aeps", r.Reply.AEPS}, {"transfer", r.Reply.Transfer}} {
		if flag.set {
			fmt.Fprintf(&b, ", '%s' => true", flag.name)
		}
	}
	for _, place := range []Place{InPath, InQuery, InBody} {
		if names := fieldsIn(r, place); len(names) > 0 {
			fmt.Fprintf(&b, ", '%s' => %s", Camel([]string{"in", string(place)}), phpStrings(names))
		}
	}
	if data, list := dataObject(r); data != "" {
		fmt.Fprintf(&b, ", 'data' => Data\\%s::class", data)
		if list {
			b.WriteString(", 'list' => true")
		}
	}
	return b.String()
}

// dataObject is the object of a route's data, and whether data is a list of them.
func dataObject(r Route) (name string, list bool) {
	if r.Reply.Data == nil {
		return "", false
	}
	if r.Reply.Data.Base == Array {
		return r.Reply.Data.Item.Object, true
	}
	return r.Reply.Data.Object, false
}

// phpRead is the type of a member of a reply, for people, and the call that reads it.
func phpRead(f Field) (kind, doc, read string) {
	get := func(reader string, more ...string) string {
		return fmt.Sprintf("Read::%s(%s)", reader, strings.Join(append([]string{"$m", phpString(f.Name)}, more...), ", "))
	}
	switch t := f.Type; t.Base {
	case String:
		return "?string", "", get("text")
	case Number:
		if t.Money {
			return "?string", "", get("rupees")
		}
		return "?string", "", get("number")
	case Integer:
		return "?int", "", get("integer")
	case Boolean:
		return "?bool", "", get("boolean")
	case ObjectT:
		return "?" + t.Object, "", get("object", t.Object+"::class")
	case Array:
		if t.Item.Base == ObjectT {
			return "?array", "list<" + t.Item.Object + ">|null", get("objects", t.Item.Object+"::class")
		}
		return "?array", "list<string>|null", get("texts")
	}
	return "mixed", "", fmt.Sprintf("$m[%s] ?? null", phpString(f.Name))
}

func phpObject(o Object) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, phpHead, "Galla\\Data")
	about := textOr(o.About, "An object of replies.") + "\n\nWhat a reply has not is null."
	fmt.Fprintf(&b, "\nuse Galla\\Internal\\Read;\n\n%sfinal class %s\n{\n", phpComment("", about), o.Name)
	if o.Open {
		b.WriteString("    /** @param array<string, mixed> $more members that this class does not know */\n")
	}
	b.WriteString("    public function __construct(\n")
	var reads []string
	for _, f := range o.Fields {
		kind, doc, read := phpRead(f)
		about := f.About
		if f.Type.Money && !strings.Contains(strings.ToLower(about), "rupees") {
			about = strings.TrimSpace(about + " Rupees, two decimals.")
		}
		if doc != "" {
			about = strings.TrimSpace(fmt.Sprintf("@var %s %s", doc, about))
		}
		if about != "" {
			b.WriteString(phpComment("        ", about))
		}
		fmt.Fprintf(&b, "        public readonly %s $%s,\n", kind, f.Name)
		reads = append(reads, "            "+read+",\n")
	}
	if o.Open {
		b.WriteString("        public readonly array $more,\n")
		var names []string
		for _, f := range o.Fields {
			names = append(names, phpString(f.Name)+" => 1")
		}
		reads = append(reads, fmt.Sprintf("            array_diff_key($m, [%s]),\n", strings.Join(names, ", ")))
	}
	b.WriteString("    ) {\n    }\n\n    /** @param array<string, mixed> $m */\n    public static function from(#[\\SensitiveParameter] array $m): self\n    {\n        return new self(\n")
	b.WriteString(strings.Join(reads, ""))
	b.WriteString("        );\n    }\n}\n")
	return b.Bytes()
}

func phpRoutes(m Model, class, base, about string, gateway bool) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, phpHead, "Galla")
	fmt.Fprintf(&b, "\n/** %s */\nabstract class %s extends %s\n{\n", about, class, base)
	first := true
	for _, r := range m.Routes {
		if r.Gateway != gateway {
			continue
		}
		if !first {
			b.WriteString("\n")
		}
		first = false
		phpMethod(&b, r)
	}
	b.WriteString("}\n")
	return b.Bytes()
}

func phpMethod(b *bytes.Buffer, r Route) {
	about := fmt.Sprintf("%s.\n\n%s %s; %s.", strings.TrimSuffix(r.Summary, "."), r.Method, r.Path, who(r))
	if r.About != "" {
		about += "\n\n" + r.About
	}
	about += "\n"
	var parameters, values []string
	for _, f := range r.Fields {
		kind, value := map[Base]string{Number: "int|string", Integer: "int", Boolean: "bool"}[f.Type.Base], "$"+f.Name
		if kind == "" {
			kind = "string"
		}
		if f.Type.Base == Number {
			value = fmt.Sprintf("Decimal::of($%s, %s)", f.Name, phpString(f.Name))
		}
		if !f.Required {
			kind += "|null"
		}
		about += strings.TrimRight(fmt.Sprintf("\n@param %s $%s %s", kind, f.Name, f.About), " ")
		parameter := kind + " $" + f.Name
		if f.Sensitive {
			parameter = "#[\\SensitiveParameter] " + parameter
		}
		if !f.Required {
			parameter += " = null"
		}
		parameters, values = append(parameters, parameter), append(values, fmt.Sprintf("%s => %s", phpString(f.Name), value))
	}
	key := ""
	if r.Identity {
		parameters, key = append(parameters, "?string $idempotencyKey = null"), ", $idempotencyKey"
		about += "\n@param string|null $idempotencyKey the operation's identity, the same at every repeat; a new one where none is given"
	}
	data := "null"
	if name, list := dataObject(r); list {
		data = "list<Data\\" + name + ">|null"
	} else if name != "" {
		data = "Data\\" + name + "|null"
	}
	about += fmt.Sprintf("\n@return Result<%s>\n@throws GallaError", data)
	fmt.Fprintf(b, "%s    public function %s(%s): Result\n    {\n", phpComment("    ", about), Camel(r.Words), strings.Join(parameters, ", "))
	fmt.Fprintf(b, "        return $this->invoke(%s, [%s]%s);\n    }\n", phpString(Camel(r.Words)), strings.Join(values, ", "), key)
}

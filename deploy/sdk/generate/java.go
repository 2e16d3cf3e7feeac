package generate

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// javaFolder has the package's sources.
const javaFolder = "src/main/java/example/galla/"

// javaHead begins each file.
const javaHead = "// Written by deploy/sdk/generate from the OpenAPI document; do not edit.\n\npackage example.galla;\n"

// Java writes the table of routes, the records of replies, the fields of requests, and two
// classes with a method for each route.
func Java(m Model) (map[string][]byte, error) {
	return map[string][]byte{
		javaFolder + "RouteTable.java":    javaTable(m),
		javaFolder + "Data.java":          javaData(m),
		javaFolder + "Params.java":        javaParams(m),
		javaFolder + "GatewayRoutes.java": javaRoutes(m, "GatewayRoutes", "BaseClient", "The routes that the gateway mirrors.", true),
		javaFolder + "DirectRoutes.java":  javaRoutes(m, "DirectRoutes", "GatewayRoutes", "All routes: those of the gateway, and those that can be called directly only.", false),
		"pom.xml":                         fmt.Appendf(nil, javaPOM, m.Version),
	}, nil
}

// javaName is a field as the name of a component or a method: AadharNo is aadharNo,
// mobile_no is mobileNo, STAN is stan.
func javaName(name string) string {
	var b strings.Builder
	up := false
	runes := []rune(name)
	for i, c := range runes {
		switch {
		case c == '_':
			up = true
		case up:
			b.WriteRune(unicode.ToUpper(c))
			up = false
		case unicode.IsUpper(c) && (b.Len() == 0 || leadingCapitals(runes, i)):
			b.WriteRune(unicode.ToLower(c))
		default:
			b.WriteRune(c)
		}
	}
	if out := b.String(); !slices.Contains([]string{"default", "class", "package", "public", "private", "new", "switch", "case", "enum", "wait", "notify", "clone"}, out) {
		return out
	}
	return b.String() + "_"
}

// leadingCapitals reports whether a capital belongs to the capitals at the beginning of a
// name, and does not begin its next word.
func leadingCapitals(name []rune, at int) bool {
	for _, c := range name[:at] {
		if !unicode.IsUpper(c) {
			return false
		}
	}
	return at+1 == len(name) || !unicode.IsLower(name[at+1])
}

// javaDoc is a text as a documentation comment.
func javaDoc(indent, text string) string {
	text = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "*/", "*&#47;", "{@", "{&#64;").Replace(text)
	all := lines(text, 116-len(indent))
	if len(all) == 1 {
		return fmt.Sprintf("%s/** %s */\n", indent, all[0])
	}
	var b strings.Builder
	b.WriteString(indent + "/**\n")
	paragraph := false
	for _, line := range all {
		if line == "" {
			paragraph = true
			b.WriteString(indent + " *\n")
			continue
		}
		if paragraph && !strings.HasPrefix(line, "@") {
			line = "<p>" + line
		}
		paragraph = false
		b.WriteString(indent + " * " + line + "\n")
	}
	return b.String() + indent + " */\n"
}

func javaStrings(list []string) string {
	quoted := make([]string, len(list))
	for i, s := range list {
		quoted[i] = fmt.Sprintf("%q", s)
	}
	return strings.Join(quoted, ", ")
}

// javaType is the type of a member, which may be null.
func javaType(t Type) string {
	switch t.Base {
	case String:
		return "String"
	case Number:
		return "BigDecimal"
	case Integer:
		return "Long"
	case Boolean:
		return "Boolean"
	case ObjectT:
		return t.Object
	case Array:
		return "List<" + javaType(*t.Item) + ">"
	}
	return "Object"
}

// javaRead is the call that reads a member.
func javaRead(f Field) string {
	switch t := f.Type; t.Base {
	case String:
		return fmt.Sprintf("Read.text(m, %q)", f.Name)
	case Number:
		return fmt.Sprintf("Read.number(m, %q)", f.Name)
	case Integer:
		return fmt.Sprintf("Read.integer(m, %q)", f.Name)
	case Boolean:
		return fmt.Sprintf("Read.bool(m, %q)", f.Name)
	case ObjectT:
		return fmt.Sprintf("Read.object(m, %q, %s::from)", f.Name, t.Object)
	case Array:
		if t.Item.Base == ObjectT {
			return fmt.Sprintf("Read.objects(m, %q, %s::from)", f.Name, t.Item.Object)
		}
		return fmt.Sprintf("Read.texts(m, %q)", f.Name)
	}
	return fmt.Sprintf("m.get(%q)", f.Name)
}

func javaTable(m Model) []byte {
	var b bytes.Buffer
	b.WriteString(javaHead + `
import static example.galla.Route.Flag.*;

import java.util.List;
import java.util.Set;

/** What the clients know of each route. */
final class RouteTable {
    private RouteTable() {}

`)
	fmt.Fprintf(&b, "    static final String VERSION = %q;\n\n", m.Version)
	for _, r := range m.Routes {
		var flags []string
		data, list := dataObject(r)
		for _, flag := range []struct {
			name string
			set  bool
		}{{"IDENTITY", r.Identity}, {"GATEWAY", r.Gateway}, {"OPEN", r.Open}, {"BARE", r.Reply.Bare}, {"AEPS", r.Reply.AEPS}, {"TRANSFER", r.Reply.Transfer}, {"LIST", list}} {
			if flag.set {
				flags = append(flags, flag.name)
			}
		}
		reads := "null"
		if data != "" {
			reads = "Data." + data + "::from"
		}
		fmt.Fprintf(&b, "    static final Route %s = new Route(%q, %q, %q, Set.of(%s), List.of(%s), List.of(%s), List.of(%s), %s);\n", strings.ToUpper(Snake(r.Words)),
			r.Method, r.Path, r.Kind, strings.Join(flags, ", "), javaStrings(fieldsIn(r, InPath)), javaStrings(fieldsIn(r, InQuery)), javaStrings(fieldsIn(r, InBody)), reads)
	}
	b.WriteString("\n    static final List<Route> ROUTES = List.of(\n")
	for i, r := range m.Routes {
		end := ","
		if i+1 == len(m.Routes) {
			end = ");"
		}
		fmt.Fprintf(&b, "        %s%s\n", strings.ToUpper(Snake(r.Words)), end)
	}
	b.WriteString("}\n")
	return b.Bytes()
}

func javaData(m Model) []byte {
	var b bytes.Buffer
	b.WriteString(javaHead + `
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;

/** The objects of replies. A component is null where a reply has it not; amounts are rupees. */
public final class Data {
    private Data() {}
`)
	for _, o := range m.Objects {
		javaRecord(&b, o)
	}
	b.WriteString("}\n")
	return b.Bytes()
}

func javaRecord(b *bytes.Buffer, o Object) {
	about := textOr(o.About, "An object of replies.") + "\n"
	var components, reads, known, shown []string
	hides := false
	for _, f := range o.Fields {
		name := javaName(f.Name)
		about += strings.TrimRight(fmt.Sprintf("\n@param %s %s", name, textOr(f.About, f.Name)), " ")
		components, reads, known = append(components, javaType(f.Type)+" "+name), append(reads, javaRead(f)), append(known, f.Name)
		value := name
		if f.Sensitive {
			value, hides = `"***"`, true
		}
		shown = append(shown, fmt.Sprintf(`"%s=" + %s`, name, value))
	}
	if o.Open {
		about += "\n@param more members that this record does not know"
		components, reads = append(components, "Map<String, Object> more"), append(reads, "Read.more(m, "+javaStrings(known)+")")
	}
	fmt.Fprintf(b, "\n%s    public record %s(%s) {\n", javaDoc("    ", about), o.Name, strings.Join(components, ", "))
	fmt.Fprintf(b, "        static %s from(Map<?, ?> m) {\n            return new %s(\n                %s);\n        }\n", o.Name, o.Name, strings.Join(reads, ",\n                "))
	if hides {
		fmt.Fprintf(b, "\n        @Override\n        public String toString() {\n            return \"%s[\" + %s + \"]\";\n        }\n", o.Name, strings.Join(shown, " + \", \" + "))
	}
	b.WriteString("    }\n")
}

func javaParams(m Model) []byte {
	var b bytes.Buffer
	b.WriteString(javaHead + `
import java.math.BigDecimal;

/** The fields of requests. Amounts are rupees with at most two decimals. */
public final class Params {
    private Params() {}
`)
	for _, r := range m.Routes {
		if len(r.Fields) == 0 {
			continue
		}
		name := Capital(r.Words)
		fmt.Fprintf(&b, "\n%s    public static final class %s extends Fields<%s> {\n", javaDoc("    ", fmt.Sprintf("Of %s %s: %s.", r.Method, r.Path, strings.TrimSuffix(r.Summary, "."))), name, name)
		for i, f := range r.Fields {
			if i > 0 {
				b.WriteString("\n")
			}
			javaSetter(&b, name, f)
		}
		b.WriteString("    }\n")
	}
	b.WriteString("}\n")
	return b.Bytes()
}

func javaSetter(b *bytes.Buffer, class string, f Field) {
	about := f.Name
	if f.Required {
		about += ", required"
	}
	about += ". " + f.About
	fmt.Fprintf(b, "%s        public %s %s(%s value) {\n            return put(%q, value);\n        }\n", javaDoc("        ", strings.TrimSpace(about)), class, javaName(f.Name), javaType(f.Type), f.Name)
	if f.Type.Base == Number {
		fmt.Fprintf(b, "\n        /** %s, as a whole number. */\n        public %s %s(long value) {\n            return put(%q, rupees(value));\n        }\n", f.Name, class, javaName(f.Name), f.Name)
	}
}

func javaRoutes(m Model, class, base, about string, gateway bool) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\nimport java.util.List;\nimport java.util.Map;\n\n/** %s */\npublic abstract class %s extends %s {\n", javaHead, about, class, base)
	fmt.Fprintf(&b, "    %s(String baseUrl, String clientId, Options options) {\n        super(baseUrl, clientId, options);\n    }\n", class)
	for _, r := range m.Routes {
		if r.Gateway == gateway {
			javaMethods(&b, r)
		}
	}
	b.WriteString("}\n")
	return b.Bytes()
}

// javaMethods writes a route's method, and those that leave out what may be left out.
func javaMethods(b *bytes.Buffer, r Route) {
	about := fmt.Sprintf("%s.\n\n%s %s; %s.", strings.TrimSuffix(r.Summary, "."), r.Method, r.Path, who(r))
	if r.About != "" {
		about += "\n\n" + r.About
	}
	data := "Object"
	if name, list := dataObject(r); list {
		data = "List<Data." + name + ">"
	} else if name != "" {
		data = "Data." + name
	}
	name, table := Camel(r.Words), strings.ToUpper(Snake(r.Words))
	method := func(doc, parameters, values, key string) {
		fmt.Fprintf(b, "\n%s    public Result<%s> %s(%s) {\n        return invoke(RouteTable.%s, %s, %s);\n    }\n", javaDoc("    ", doc), data, name, parameters, table, values, key)
	}
	params := "Params." + Capital(r.Words) + " fields"
	optional := !slices.ContainsFunc(r.Fields, func(f Field) bool { return f.Required })
	if optional {
		method(about, "", "Map.of()", "null")
	}
	if len(r.Fields) > 0 {
		method(about, params, "fields.values()", "null")
	}
	const key = "\n\n@param idempotencyKey the operation's identity, the same at every repeat; null: a new one"
	if r.Identity && len(r.Fields) > 0 {
		method(about+key, params+", String idempotencyKey", "fields.values()", "idempotencyKey")
	} else if r.Identity {
		method(about+key, "String idempotencyKey", "Map.of()", "idempotencyKey")
	}
}

// javaPOM is the description of the package for Maven.
const javaPOM = `<?xml version="1.0" encoding="UTF-8"?>
<!-- Written by deploy/sdk/generate; do not edit. -->
<project xmlns="http://maven.apache.org/POM/4.0.0" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://maven.apache.org/POM/4.0.0 https://maven.apache.org/xsd/maven-4.0.0.xsd">
  <modelVersion>4.0.0</modelVersion>
  <groupId>example.galla</groupId>
  <artifactId>galla-sdk</artifactId>
  <version>%s</version>
  <packaging>jar</packaging>
  <name>Galla SDK</name>
  <description>Client of Galla: agent banking, money transfer and partner administration</description>
  <licenses>
    <license>
      <name>Proprietary; for partners of the operator</name>
    </license>
  </licenses>
  <properties>
    <maven.compiler.release>17</maven.compiler.release>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <dependencies>
    <dependency>
      <groupId>org.junit.jupiter</groupId>
      <artifactId>junit-jupiter</artifactId>
      <version>5.9.2</version>
      <scope>test</scope>
    </dependency>
  </dependencies>
  <build>
    <plugins>
      <plugin>
        <groupId>org.apache.maven.plugins</groupId>
        <artifactId>maven-surefire-plugin</artifactId>
        <version>3.2.5</version>
      </plugin>
    </plugins>
  </build>
</project>
`

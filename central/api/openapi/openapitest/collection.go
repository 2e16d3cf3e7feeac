package openapitest

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// collectionScript runs before each request of the Postman collection.
//
//go:embed collection.js
var collectionScript string

// pendingScript runs before the request of a sample with Pending, for the number AADHAAR.
//
//go:embed pending.js
var pendingScript string

// paidScript runs before the request of a sample with Paid, for the order ORDER.
//
//go:embed paid.js
var paidScript string

// Collection is the samples as a collection of Postman (format 2.1.0), one folder for
// each group, whose requests succeed one after the other at a fresh sandbox.
// Environment has the sandbox's addresses and secrets, which are public. Only the direct
// entrance is in it: Postman's scripts have no AES-GCM.
func (d *Document) Collection() ([]byte, error) {
	var folders []object
	for _, group := range d.texts.groups {
		var entries []entry
		for _, e := range d.entries {
			if e.group == group.Name {
				entries = append(entries, e)
			}
		}
		slices.SortFunc(entries, func(a, b entry) int { return a.sample.step - b.sample.step })
		var items []object
		for _, e := range entries {
			item, err := e.collectionItem()
			if err != nil {
				return nil, err
			}
			items = append(items, item)
		}
		if len(items) > 0 {
			folders = append(folders, object{{"name", group.Name}, {"description", group.About}, {"item", items}})
		}
	}
	return write(object{
		{"info", object{
			{"name", "Galla " + Version},
			{"description", "Every direct route, against the sandbox of `make run`. Choose the environment 'Galla sandbox', and run the folders in their order: later requests use what earlier ones answered. The script of the collection gets tokens, fingerprints and one-time passwords, and makes identities. Messages of the gateway are sealed with AES-GCM, which Postman's scripts do not have: use galla-call or an SDK there."},
			{"schema", "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"},
		}},
		{"event", []object{script("prerequest", collectionScript)}},
		{"item", folders},
	})
}

// Environment is the sandbox as an environment of Postman.
func (d *Document) Environment() ([]byte, error) {
	values := []object{}
	add := func(kind, name, value string) {
		values = append(values, object{{"key", name}, {"value", value}, {"type", kind}, {"enabled", true}})
	}
	add("default", "CENTRAL", sandboxCentral)
	add("default", "BANK", sandboxBank)
	add("default", "READER", sandboxReader)
	secrets := sandboxSecrets()
	for _, client := range slices.Sorted(maps.Keys(secrets)) {
		add("secret", "SECRET-"+client, secrets[client])
	}
	return write(object{{"id", "6f1e0d7c-52a1-4f0e-9a53-0c8a4f6f2b17"}, {"name", "Galla sandbox"}, {"values", values}, {"_postman_variable_scope", "environment"}})
}

// script is an event of the collection.
func script(listen, text string) object {
	return object{{"listen", listen}, {"script", object{{"type", "text/javascript"}, {"exec", strings.Split(strings.TrimSpace(text), "\n")}}}}
}

// collectionItem is a route as a request of the collection.
func (e *entry) collectionItem() (object, error) {
	headers := []object{}
	header := func(name, value string) { headers = append(headers, object{{"key", name}, {"value", value}}) }
	if e.sample.As != "" {
		header("Authorization", "Bearer {{TOKEN-"+e.sample.As+"}}")
	}
	if e.Bank == bankOperation {
		header("Idempotency-Key", "{{KEY-"+e.sample.As+"}}")
	}
	request := object{{"method", e.route.Method}}
	switch fields := e.sampleFields(inBody, false); {
	case e.Own != nil && len(fields) > 0:
		form := []object{}
		for _, f := range fields {
			value := strings.Trim(f.value, `"`)
			if f.name == "client_secret" {
				value = "{{SECRET-merchant-lakshmi}}"
			}
			form = append(form, object{{"key", f.name}, {"value", value}})
		}
		request = request.with("body", object{{"mode", "urlencoded"}, {"urlencoded", form}})
	case e.readsBody():
		header("Content-Type", mediaJSON)
		request = request.with("body", object{{"mode", "raw"}, {"raw", e.placeholders(sampleBody(fields))}})
	}
	check, err := e.collectionCheck()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.ID, err)
	}
	events := []object{script("test", check)}
	if e.sample.Pending != "" {
		events = append(events, script("prerequest", strings.ReplaceAll(pendingScript, "AADHAAR", e.sample.Pending)))
	}
	if e.sample.Paid != "" {
		events = append(events, script("prerequest", strings.NewReplacer("CLIENT", e.sample.As, "ORDER", e.sample.Paid).Replace(paidScript)))
	}
	return object{
		{"name", e.Summary},
		{"event", events},
		{"request", request.with("header", headers).with("url", e.collectionURL()).with("description", e.describe())},
	}, nil
}

// collectionURL is the address in the parts that Postman edits.
func (e *entry) collectionURL() object {
	raw := e.placeholders(e.samplePath(false))
	path, query, _ := strings.Cut(raw, "?")
	url := object{{"raw", "{{CENTRAL}}" + raw}, {"host", []string{"{{CENTRAL}}"}}, {"path", strings.Split(strings.TrimPrefix(path, "/"), "/")}}
	if query == "" {
		return url
	}
	list := []object{}
	for pair := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(pair, "=")
		list = append(list, object{{"key", name}, {"value", value}})
	}
	return url.with("query", list)
}

// placeholders writes a sample's shell variables as the collection's.
func (e *entry) placeholders(text string) string {
	names := map[string]string{varPID: "PID-" + e.sample.Finger, varOTP: "OTP-" + e.sample.OTP, varKey: "KEY-" + e.sample.As}
	for _, name := range e.sample.New {
		names[name] = "NEW-" + name
	}
	for _, f := range e.sample.Uses {
		if _, ok := names[f.value]; !ok {
			names[f.value] = f.value
		}
	}
	// The longest first: OTP begins OTPREQID.
	ordered := slices.SortedFunc(maps.Keys(names), func(a, b string) int { return len(b) - len(a) })
	for _, name := range ordered {
		text = strings.ReplaceAll(text, "$"+name, "{{"+names[name]+"}}")
	}
	return text
}

// collectionCheck is the script that compares a reply with the documented success, and
// keeps what later requests use.
func (e *entry) collectionCheck() (string, error) {
	reply := e.Replies[0]
	var fields ordered[jsontext.Value]
	if err := json.Unmarshal(reply.Example, &fields); err != nil {
		return "", err
	}
	names := []string{}
	for _, f := range fields {
		if !contains(reply.May, f.name) {
			names = append(names, f.name)
		}
	}
	list, err := write(names)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "pm.test(\"HTTP %d\", () => pm.response.to.have.status(%d));\nconst reply = pm.response.json();\n", reply.HTTP, reply.HTTP)
	fmt.Fprintf(&b, "pm.test(\"the documented fields\", () => pm.expect(reply).to.include.all.keys(...%s));\n", list)
	if code, ok := fields.find("statusCode"); ok {
		fmt.Fprintf(&b, "pm.test(\"statusCode\", () => pm.expect(reply.statusCode).to.equal(%s));\n", code)
	}
	if e.route.AEPS {
		b.WriteString("pm.test(\"ResponseCode\", () => pm.expect(reply.data && reply.data.ResponseCode).to.equal(\"00\"));\n")
	}
	for _, s := range e.sample.Saves {
		fmt.Fprintf(&b, "pm.collectionVariables.set(%q, String({ ...reply, ...(Array.isArray(reply.data) ? reply.data[0] : reply.data) }[%q]));\n", s.name, s.value)
	}
	return b.String(), nil
}

package docs

import (
	"bytes"
	"embed"
	"encoding/hex"
	"fmt"
	"html/template"

	"galla/shared/envelope"
)

//go:embed gatewayguide.html
var guideTemplate string

//go:embed docs.css
var style string

// excerpts are the envelope of each SDK in deploy/sdk; a test holds them
// against those files.
//
//go:embed excerpts/*.txt
var excerpts embed.FS

// language is an example in one language.
type language struct {
	Name, File, Needs, Code string
}

// refusal is a reply other than success.
type refusal struct {
	HTTP      int
	Sealed    bool
	Code      string
	Message   string
	Means, To string
}

// guidePage is the data of the page.
type guidePage struct {
	Style                    template.CSS
	Script                   template.JS
	ClientID, KeyHex         string
	OtherID, OtherKey        string
	Merchant, Merchant3      string
	Method, Route, Path      string
	Label, ChecksumKeyHex    string
	KeySize, IVSize, TagSize int
	Request, Reply           message
	Status                   int
	Slips                    []mistake
	Languages                []language
	Refusals                 []refusal
}

// Style is the text of the page's style element.
func Style() string { return style }

// GatewayGuide builds the page. The same program gives the same bytes. Its errors
// are bugs of the program.
func GatewayGuide() ([]byte, error) {
	s := guidePage{
		Style: template.CSS(style), Script: template.JS(handbookScript), ClientID: clientID, KeyHex: keyHex, OtherID: otherID, OtherKey: otherKey(),
		Merchant: merchant, Merchant3: merchant3, Method: requestMethod, Route: requestRoute, Path: requestPath, Label: checksumLabel,
		KeySize: envelope.KeySize, IVSize: envelope.IVSize, TagSize: envelope.TagSize, Status: status, Refusals: refusals(),
	}
	if err := s.compute(); err != nil {
		return nil, fmt.Errorf("compute the gateway's guide: %w", err)
	}
	t, err := template.New("guide").Parse(guideTemplate)
	if err != nil {
		return nil, fmt.Errorf("read the template of the gateway's guide: %w", err)
	}
	var out bytes.Buffer
	if err := t.Execute(&out, s); err != nil {
		return nil, fmt.Errorf("fill the template of the gateway's guide: %w", err)
	}
	return out.Bytes(), nil
}

// compute fills in everything that depends on the key.
func (s *guidePage) compute() error {
	parsed, err := envelope.ParseKey(keyHex)
	if err != nil {
		return err
	}
	key, err := envelope.New(parsed)
	if err != nil {
		return err
	}
	raw, err := hex.DecodeString(keyHex)
	if err != nil {
		return err
	}
	s.ChecksumKeyHex = hex.EncodeToString(hmacSHA256(raw, checksumLabel))
	if s.Request, err = sealedRequest(key); err != nil {
		return err
	}
	if s.Reply, err = sealedReply(key); err != nil {
		return err
	}
	if s.Slips, err = commonMistakes(s.Request); err != nil {
		return err
	}
	s.Languages, err = languages()
	return err
}

func languages() ([]language, error) {
	list := []language{
		{Name: "Node", File: "node/src/envelope.js", Needs: "Node 18 or newer, node:crypto"},
		{Name: "Go", File: "go/envelope.go", Needs: "Go 1.24 or newer, the standard library"},
		{Name: "PHP", File: "php/src/Envelope.php", Needs: "PHP 8.1 or newer, ext-openssl"},
		{Name: "Python", File: "python/src/galla/envelope.py", Needs: "Python 3.9 or newer, the package cryptography"},
		{Name: "Java", File: "java/src/main/java/example/galla/Envelope.java", Needs: "Java 17 or newer, javax.crypto"},
	}
	for i, name := range []string{"node", "go", "php", "python", "java"} {
		text, err := excerpts.ReadFile("excerpts/" + name + ".txt")
		if err != nil {
			return nil, err
		}
		list[i].Code = string(text)
	}
	return list, nil
}

// refusals are those that a partner meets while integrating, in the order of the
// checks.
func refusals() []refusal {
	return []refusal{
		{HTTP: 401, Code: "03", Message: "Not authenticated", Means: "Client, key, checksum, form, clock, a repeated IV, or a payload that does not decrypt: one answer for all, on purpose.", To: "Find the mistake with the table above or with /gateway/explain. Never repeat the same bytes."},
		{HTTP: 403, Sealed: true, Code: "01", Message: "Access denied", Means: "The route is not for vendors here: UPI's GenerateQR, an aggregator's, terminals, BC onboarding. Nothing else of the message was looked at.", To: "Call what your role may call."},
		{HTTP: 404, Sealed: true, Code: "01", Message: "Merchant not found", Means: "merchantId is missing, or names another vendor's merchant.", To: "Send the id of one of your own merchants."},
		{HTTP: 404, Sealed: true, Code: "04", Message: "No such route", Means: "There is no such route. Paths are case-sensitive; nothing is added or taken away.", To: "Compare it with the list of routes."},
		{HTTP: 405, Sealed: true, Code: "04", Message: "The route exists, but not with this method", Means: "The path exists, the method does not.", To: "Compare the method."},
		{HTTP: 400, Sealed: true, Code: "02", Message: "Invalid request", Means: "Fields are missing or malformed, or the plaintext is no JSON object, not UTF-8, or has a name twice; data.errors lists every fault.", To: "Correct them all, with a new X-Request-Id or the same: an invalid request uses none up."},
		{HTTP: 413, Sealed: true, Code: "06", Message: "The body is over the limit of 1 MiB", Means: "The plaintext has more than 1 MiB (1,048,576 bytes).", To: "Send less. A message of several megabytes is not read at all, and gets the plain 401."},
		{HTTP: 409, Sealed: true, Code: "09", Message: "The same identity was used before with another body or route; nothing was done", Means: "X-Request-Id belongs to another operation.", To: "A retry sends the same JSON, byte for byte, but for an otp that was refused; a new operation has a new id."},
		{HTTP: 422, Sealed: true, Code: "05", Message: "what is missing, in words", Means: "Well-formed, but the state forbids it: a limit, a step out of order.", To: "Show it to the agent."},
		{HTTP: 429, Sealed: true, Code: "07", Message: "Too many calls; try again later", Means: "More calls, or more at once, than agreed for your API key.", To: "Wait as many seconds as Retry-After says, then send the same call again."},
		{HTTP: 502, Sealed: true, Code: "10", Message: "Bank network unreachable; nothing was sent", Means: "No money has moved.", To: "Send the same call again."},
		{HTTP: 500, Sealed: true, Code: "500", Message: "Server error", Means: "A fault of ours.", To: "Retry with the same X-Request-Id, and tell us the id."},
	}
}

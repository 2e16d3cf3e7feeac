package tryit

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"galla/central/docs"
)

//go:embed try.html
var pageTemplate string

//go:embed elsewhere.html
var elsewhereTemplate string

//go:embed try.css
var style string

//go:embed try.js
var pageScript []byte

//go:embed calls.js
var callsScript []byte

//go:embed seal.js
var sealScript []byte

// Client is a client of the direct entrance. All of it is public.
type Client struct {
	ID     string `json:"id"`
	Secret string `json:"secret"`
	Role   string `json:"role"`
}

// Vendor is a vendor that calls through the gateway. All of it is public.
type Vendor struct {
	APIKey string `json:"apiKey"`
	KeyHex string `json:"keyHex"` // 32 bytes
	Client string `json:"client"` // its client of the direct entrance
	// Merchant is the one for which it acts by default; empty: that of the sample.
	Merchant string `json:"merchant,omitzero"`
}

// Sandbox is what the page knows of the sandbox.
type Sandbox struct {
	Reader  string   `json:"reader"` // the reader's origin
	Bank    string   `json:"bank"`   // the bank's origin, where the inboxes are
	Clients []Client `json:"clients"`
	Vendors []Vendor `json:"vendors"`
}

// Style is the text of the page's style element.
func Style() string { return docs.Style() + style }

// Page is the page. It loads Scripts and Data from beside it.
func Page() ([]byte, error) { return render(pageTemplate) }

// Elsewhere is the page of a central that is no sandbox: it says where the page is.
func Elsewhere() ([]byte, error) { return render(elsewhereTemplate) }

func render(text string) ([]byte, error) {
	t, err := template.New("page").Parse(text)
	if err != nil {
		return nil, fmt.Errorf("read the template of the page to try a call: %w", err)
	}
	var out bytes.Buffer
	if err := t.Execute(&out, struct {
		Style  template.CSS
		Script template.JS
	}{template.CSS(Style()), template.JS(docs.Script())}); err != nil {
		return nil, fmt.Errorf("fill the template of the page to try a call: %w", err)
	}
	return out.Bytes(), nil
}

// Scripts are the page's scripts, by their paths.
func Scripts() map[string][]byte {
	return map[string][]byte{"/docs/try.js": pageScript, "/docs/calls.js": callsScript, "/docs/seal.js": sealScript}
}

// Data is the page's data: samples (openapi.Samples), and the sandbox's parties.
func Data(samples []byte, s Sandbox) ([]byte, error) {
	text, err := json.Marshal(struct {
		Samples jsontext.Value `json:"samples"`
		Sandbox Sandbox        `json:"sandbox"`
	}{samples, s}, json.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("write the data of the page to try a call: %w", err)
	}
	return text, nil
}

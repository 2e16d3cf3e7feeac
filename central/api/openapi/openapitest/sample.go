package openapitest

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"galla/shared/op"
)

// sampleText says how a route's example is called at a fresh sandbox.
// data/samples.json has one for each route, in an order in which all of them succeed.
type sampleText struct {
	// As is the client of the sandbox that calls; empty: the route takes no token.
	As string `json:"as,omitzero"`
	// Finger is the Aadhaar number whose finger is put on the reader's glass, for
	// routes that read PidData.
	Finger string `json:"finger,omitzero"`
	// OTP is the mobile number in whose inbox the one-time password is.
	OTP string `json:"otp,omitzero"`
	// Pending is the Aadhaar number whose finger is on the glass for a withdrawal that is
	// pending, and then reversed, before the call: the merchant is owed a callback.
	Pending string `json:"pending,omitzero"`
	// Paid is the order whose QR code the sandbox's payer pays before the call.
	Paid string `json:"paid,omitzero"`
	// New names variables that get a new value: identities and keys.
	New []string `json:"new,omitzero"`
	// Uses are fields whose value is a variable, and Saves are variables that get the
	// value of a reply's field.
	Uses  ordered[string] `json:"uses,omitzero"`
	Saves ordered[string] `json:"saves,omitzero"`
	// After are the routes whose samples have run before.
	After []op.RouteID `json:"after,omitzero"`

	step int // its place among all samples, from 1
}

// The sandbox's addresses and identities (sandbox.md). They work nowhere else.
const (
	sandboxCentral = "http://127.0.0.1:7100"
	sandboxBank    = "http://127.0.0.1:7300"
	sandboxReader  = "http://127.0.0.1:11100"
	sandboxGanesh  = "c0000000-0000-4000-8000-000000000002"
	sandboxLakshmi = "c0000000-0000-4000-8000-000000000001"
)

// sandboxSecrets are the public secrets of the sandbox's clients.
func sandboxSecrets() map[string]string {
	return map[string]string{
		"agg-galla": "sandbox-aggregator-1", "vendor-sahyadri": "sandbox-vendor-1",
		"merchant-lakshmi": "sandbox-merchant-1", "merchant-ganesh": "sandbox-merchant-2",
	}
}

// merchantOf is the merchant that a vendor names in place of a merchant's client.
func merchantOf(client string) string {
	if client == "merchant-ganesh" {
		return sandboxGanesh
	}
	return sandboxLakshmi
}

// Variables that every sample may use: the access token, the capture, the one-time
// password, and the operation's identity.
const (
	varToken = "TOKEN"
	varPID   = "PID"
	varOTP   = "OTP"
	varKey   = "KEY"
)

// readSamples gives each entry its sample, and finds those that miss what they need.
func (d *Document) readSamples() error {
	var samples ordered[sampleText]
	if err := read("samples", &samples); err != nil {
		return err
	}
	entries := map[op.RouteID]*entry{}
	for i := range d.entries {
		entries[d.entries[i].ID] = &d.entries[i]
	}
	var wrong []error
	seen := map[op.RouteID]sampleText{}
	for i, s := range samples {
		id := op.RouteID(s.name)
		s.value.step = i + 1
		if e := entries[id]; e != nil {
			e.sample = s.value
			wrong = append(wrong, e.checkSample(seen, entries))
		}
		seen[id] = s.value
	}
	for _, e := range d.entries {
		if e.sample.step == 0 {
			wrong = append(wrong, fmt.Errorf("%s has no sample in data/samples.json", e.ID))
		}
	}
	return errors.Join(wrong...)
}

// checkSample compares a sample with its route, and with the samples before it.
func (e *entry) checkSample(seen map[op.RouteID]sampleText, entries map[op.RouteID]*entry) error {
	s, wrong := e.sample, []error(nil)
	fail := func(format string, args ...any) {
		wrong = append(wrong, fmt.Errorf("the sample of %s "+format, append([]any{e.ID}, args...)...))
	}
	if _, known := sandboxSecrets()[s.As]; known != (len(e.route.Roles) > 0) {
		fail("is called as %q, which the route does not take", s.As)
	}
	set := append([]string{varToken, varPID, varOTP}, s.New...)
	for _, before := range s.After {
		earlier, ok := seen[before]
		if !ok {
			fail("comes after %s, which is not before it", before)
			continue
		}
		set = append(set, earlier.New...)
		for _, saved := range earlier.Saves {
			set = append(set, saved.name)
		}
		if b := entries[before]; b != nil && b.Bank == bankOperation {
			set = append(set, varKey)
		}
	}
	for _, use := range s.Uses {
		if !hasField(e.fields, use.name) {
			fail("fills the field %s, which the route does not read", use.name)
		}
		if !slices.Contains(set, use.value) {
			fail("uses %s, which no sample before it sets: add one to after", use.value)
		}
	}
	if hasField(e.fields, "PidData") != (s.Finger != "") {
		fail("and its field PidData do not fit: finger is %q", s.Finger)
	}
	return errors.Join(wrong...)
}

// sampleFields are the fields of the example request, with variables in the place of
// values that a sample before it answered; name and value as in JSON. A vendor names the
// merchant.
func (e *entry) sampleFields(place string, vendor bool) ordered[string] {
	var list ordered[string]
	if vendor && e.acting && place == inBody {
		list = append(list, named[string]{"merchantId", string(constant(merchantOf(e.sample.As)))})
	}
	for _, f := range e.fields {
		if f.in != place && (!vendor || place != inBody || f.in != inQuery) {
			continue
		}
		value := string(f.example)
		variable, used := e.sample.Uses.find(f.name)
		switch {
		case f.name == "merchantId" && e.acting:
			continue
		case f.name == "PidData":
			value = `"$` + varPID + `"`
		case used && f.example != nil && f.example.Kind() == jsontext.KindNumber:
			value = "$" + variable
		case used:
			value = `"$` + variable + `"`
		case f.example == nil:
			continue
		}
		list = append(list, named[string]{f.name, value})
	}
	return list
}

// sampleBody is the JSON of a sample's body, one field a line.
func sampleBody(fields ordered[string]) string {
	if len(fields) == 0 {
		return "{}"
	}
	lines := make([]string, 0, len(fields))
	for _, f := range fields {
		lines = append(lines, "  "+string(constant(f.name))+": "+f.value)
	}
	return "{\n" + strings.Join(lines, ",\n") + "\n}"
}

// samplePath is the path with its parameters and the query.
func (e *entry) samplePath(vendor bool) string {
	path := pathTemplate(e.route.Path)
	for _, f := range e.sampleFields(inPath, vendor) {
		path = strings.Replace(path, "{"+f.name+"}", strings.Trim(f.value, `"`), 1)
	}
	var query []string
	if !vendor {
		for _, f := range e.sampleFields(inQuery, false) {
			query = append(query, f.name+"="+strings.Trim(f.value, `"`))
		}
	}
	if len(query) > 0 {
		path += "?" + strings.Join(query, "&")
	}
	return path
}

// codeSamples are the commands that call a route at the sandbox, for each entrance.
func (e *entry) codeSamples() []object {
	sample := func(label, source string) object {
		return object{{"lang", "Shell"}, {"label", label}, {"source", source}}
	}
	list := []object{sample("Direct", e.directSample())}
	if e.route.Entrances&op.Gateway != 0 {
		list = append(list, sample("Gateway", e.gatewaySample()))
	}
	return list
}

// captureCommand takes a fingerprint from the sandbox's reader, as a JSON string without
// its quotes.
const captureCommand = varPID + `=$(curl -s -X CAPTURE ` + sandboxReader + `/rd/capture --data '<PidOptions ver="1.0"><Opts fCount="1" fType="2" iCount="0" pCount="0" format="0" pidVer="2.0" timeout="10000" posh="UNKNOWN" env="P"/></PidOptions>' | sed 's/\\/\\\\/g; s/"/\\"/g' | awk '{printf "%s\\n", $0}')
`

// pendingCommands make a withdrawal that the sandbox's bank reverses after ten seconds, and
// wait until its callback was tried once.
const pendingCommands = `curl -s -o /dev/null %[1]s/sim/finger -d '{"aadhaar":"%[2]s","finger":"RIGHT_INDEX","quality":80}'
%[3]sMERCHANT=$(curl -s -u merchant-lakshmi:%[5]s -d grant_type=client_credentials %[4]s/oauth/token | sed 's/.*"access_token":"\([^"]*\)".*/\1/')
VENDOR=$(curl -s -u vendor-sahyadri:%[6]s -d grant_type=client_credentials %[4]s/oauth/token | sed 's/.*"access_token":"\([^"]*\)".*/\1/')
curl -s -o /dev/null %[4]s/aeps/withdrawal -H "Authorization: Bearer $MERCHANT" -H "Idempotency-Key: ` + randomName + `" -H 'Content-Type: application/json' -d @- <<END
{"AadharNo":"%[2]s","TxnAmount":500.93,"Latitude":"17.385044","Longitude":"78.486671","CustomerName":"Shivshankar Choudhury","PidData":"$PID"}
END
until curl -s "%[4]s/vendor/callbacks" -H "Authorization: Bearer $VENDOR" | grep -q '"triedAt"'; do sleep 1; done
`

// paidCommands pay the QR code of an order, and wait until the central has recorded it.
const paidCommands = `curl -s -o /dev/null %[1]s/control/upi/pay -d '{"vpa":"gal0000001@galla","order_id":"%[2]s","amount":1}'
until curl -s "%[3]s/upi/txn/v1/payments" -H "Authorization: Bearer $` + varToken + `" | grep -q '"order_id":"%[2]s"'; do sleep 1; done
`

// preparation are the commands before a call: the finger, the payment, the one-time password, and
// new values.
func (e *entry) preparation() string {
	var b strings.Builder
	if e.sample.Finger != "" {
		fmt.Fprintf(&b, "curl -s -o /dev/null %s/sim/finger -d '{\"aadhaar\":\"%s\",\"finger\":\"RIGHT_INDEX\",\"quality\":80}'\n%s", sandboxReader, e.sample.Finger, captureCommand)
	}
	if e.sample.Pending != "" {
		secrets := sandboxSecrets()
		fmt.Fprintf(&b, pendingCommands, sandboxReader, e.sample.Pending, captureCommand, sandboxCentral, secrets["merchant-lakshmi"], secrets["vendor-sahyadri"])
	}
	if e.sample.Paid != "" {
		fmt.Fprintf(&b, paidCommands, sandboxBank, e.sample.Paid, sandboxCentral)
	}
	if e.sample.OTP != "" {
		fmt.Fprintf(&b, "%s=$(curl -s -H 'Accept: application/json' %s/inbox/%s | grep -o '\"otp\":\"[0-9]*\"' | sed -n 1p | tr -dc 0-9)\n", varOTP, sandboxBank, e.sample.OTP)
	}
	for _, name := range e.sample.New {
		if name == "PUBLICKEY" {
			fmt.Fprintf(&b, "%s=$(head -c 32 /dev/urandom | base64)\n", name)
		} else {
			fmt.Fprintf(&b, "%s=%s\n", name, randomName)
		}
	}
	return b.String()
}

// randomName is the command for a new identity.
const randomName = `$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')`

// saving are the commands that keep values of the reply for later samples.
func (e *entry) saving() string {
	var b strings.Builder
	for _, s := range e.sample.Saves {
		fmt.Fprintf(&b, "%s=$(sed -n 's/.*\"%s\": *\"\\{0,1\\}\\([^\",}]*\\).*/\\1/p' reply.json | sed -n 1p)\n", s.name, s.value)
	}
	return b.String()
}

// directSample calls the route directly, by curl.
func (e *entry) directSample() string {
	var b strings.Builder
	if e.sample.As != "" {
		fmt.Fprintf(&b, "%s=$(curl -s -u %s:%s -d grant_type=client_credentials %s/oauth/token | sed 's/.*\"access_token\":\"\\([^\"]*\\)\".*/\\1/')\n", varToken, e.sample.As, sandboxSecrets()[e.sample.As], sandboxCentral)
	}
	b.WriteString(e.preparation())
	call := "curl -s "
	if e.route.Method != "GET" && (e.route.Method != "POST" || !e.readsBody()) {
		call += "-X " + e.route.Method + " "
	}
	call += `"` + sandboxCentral + e.samplePath(false) + `"`
	if e.sample.As != "" {
		call += ` -H "Authorization: Bearer $` + varToken + `"`
	}
	if e.Bank == bankOperation {
		fmt.Fprintf(&b, "%s=%s\n", varKey, randomName)
		call += ` -H "Idempotency-Key: $` + varKey + `"`
	}
	switch body := e.sampleFields(inBody, false); {
	case e.Own != nil:
		for _, f := range body {
			call += " -d " + f.name + "=" + strings.Trim(f.value, `"`)
		}
		b.WriteString(call + " | tee reply.json\n")
	case e.readsBody():
		b.WriteString(call + " -H 'Content-Type: application/json' -d @- <<END | tee reply.json\n" + sampleBody(body) + "\nEND\n")
	default:
		b.WriteString(call + " | tee reply.json\n")
	}
	return b.String() + e.saving()
}

// gatewaySample calls the route through the gateway, by galla-call, which seals.
func (e *entry) gatewaySample() string {
	call := "galla-call --sandbox " + e.route.Method + ` "` + e.samplePath(true) + `"`
	body := e.sampleFields(inBody, true)
	if len(body) == 0 {
		return e.preparation() + call + " | tee reply.json\n" + e.saving()
	}
	return e.preparation() + call + " - <<END | tee reply.json\n" + sampleBody(body) + "\nEND\n" + e.saving()
}

// samplesBefore is the sentence that names the samples that a sample needs.
func (e *entry) samplesBefore() string {
	if len(e.sample.After) == 0 {
		return "The sample runs at a fresh sandbox as it stands."
	}
	names := make([]string, 0, len(e.sample.After))
	for _, id := range e.sample.After {
		names = append(names, strings.TrimPrefix(string(id), "POST "))
	}
	return "The sample needs, in the same shell before it: " + strings.Join(names, ", ") + "."
}

// sandboxStep tells programs where the samples stand in the order in which all of them
// succeed at a fresh sandbox, and which they need before them.
func (e *entry) sandboxStep() object {
	after := []string{}
	for _, id := range e.sample.After {
		method, path, _ := strings.Cut(string(id), " ")
		after = append(after, operationID(op.Route{Method: method, Path: path}))
	}
	return object{{"step", e.sample.step}, {"after", after}}
}

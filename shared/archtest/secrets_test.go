package archtest

import (
	"fmt"
	"go/ast"
	"regexp"
	"sort"
	"testing"

	"galla/shared/secret"
)

// revealers are the files whose code may take a value out of its secret type;
// the value says what for. Whoever adds a line answers for where the value goes
// next: never into a log, an error text, a URL, a file or a column in the clear.
var revealers = map[string]string{
	"shared/seal/seal.go":         "makes the AEAD of a key",
	"shared/password/password.go": "hashes a PIN or a password",
	"shared/envelope/key.go":      "makes the cipher and the checksum key of a vendor's key",

	"central/registry.go":                  "hashes an enrolment code for its column",
	"central/bank/simbank/books/pid.go":    "opens a PID block, and compares the finger in it with its customer's",
	"central/bank/network/line.go":         "keys the checksum of a message",
	"central/bank/network/message.go":      "fills the request that goes to the bank network",
	"central/contract/dispatcher.go":       "measures the fingerprint key",
	"central/form/fingerprint.go":          "keys the fingerprint of a body",
	"central/customer/guard.go":            "keys the hashes that limits and lookups know a customer by",
	"central/contract/terminals.go":        "hands a new enrolment code to the merchant who asked for it",
	"central/cmd/galla-call/doors.go":      "proves a client's secret to the token route, and shows the token to the route that is called",
	"central/door/hash.go":                 "hashes a client's secret",
	"central/door/jwt.go":                  "makes the signing keys of their seeds",
	"central/door/oauth.go":                "hands a new token to the client who asked for it",
	"central/callback/sign.go":             "signs a callback, and writes a new secret for the merchant",
	"central/callback/secrets.go":          "seals a callback secret anew",
	"central/credential/keys.go":           "looks whether a key can have been drawn at random, and whether one serves twice",
	"central/operator/factor.go":           "makes the codes of a second factor, and writes its key for who sets it up",
	"central/operator/desk.go":             "hashes a session's token, and measures a password",
	"central/operator/people.go":           "seals a new second factor, and reads a set-up code as it was typed",
	"central/operator/person.go":           "checks a new password's shape",
	"central/operator/search.go":           "keys the hash that a remitter is known by",
	"central/operator/browser.go":          "reads a browser's mark",
	"central/operator/known.go":            "seals a sandbox's second factor",
	"central/door/guess.go":                "keys the names of the counts of wrong secrets",
	"central/office/clients.go":            "prints a program's new secret for the operator who asked for it, once",
	"central/office/operators.go":          "prints a set-up code for who runs the command, once",
	"central/console/guard.go":             "gives a session's token to the browser's cookie, and keys the token of its forms with it",
	"central/console/door.go":              "shows the key of a second factor to who sets it up, and gives a browser its mark",
	"central/console/people.go":            "shows a set-up code to the admin who asked for it, once",
	"central/console/estate/clients.go":    "shows a program's new secret to the admin who asked for it, once",
	"central/console/estate/terminals.go":  "shows an enrolment code to the operator who asked for it, once",
	"central/console/estate/vendors.go":    "shows a new vendor key to the admin who asked for it, once",
	"central/console/estate/callbacks.go":  "shows a new callback secret to the operator who asked for it, once",
	"central/office/callbacks.go":          "prints a new callback secret for the operator who asked for it, once",
	"central/gateway/safe.go":              "seals a vendor's key, and hashes its API key",
	"central/office/database.go":           "opens the database of a URL with a password in it",
	"central/server/config.go":             "looks at the form of the database's URL",
	"central/cmd/galla-central/vendor.go":  "prints a new vendor key for the operator who asked for it, once",
	"central/bank/simbank/services/otp.go": "puts an OTP into the text that its telephone gets, in memory",

	"edge/publish/keys.go":    "seals and opens a publisher's key by its passphrase",
	"edge/message/request.go": "fills the request that goes to the line",
	"edge/message/clean.go":   "looks for a request's OTP in its reply, to take it out",
	"edge/daemon/enrol.go":    "sends the enrolment code and the public key",
	"edge/people/hash.go":     "hands operators' PINs to their hash",
	"edge/people/rules.go":    "checks a new PIN's shape",
	"edge/people/people.go":   "seals operators' Aadhaar numbers in the queue's storage",
	"edge/daemon/settings.go": "makes the terminal's key of its seed, and seals the agent's Aadhaar number",

	"edge/device/capture.go": "hands a capture from rdservice's type to shared/secret's",

	"rdservice/rdcrypto/pid.go": "measures a template's length",

	"deploy/local/house/enrol.go": "calls the central with its token, and hands the enrolment code to galla-edge in a 0600 file",
}

func TestRevealers(t *testing.T) { enforce(t, reveals) }

// reveals finds callers of Reveal that nobody vouched for.
func reveals(h *house) []string {
	found := map[string]string{}
	for _, f := range h.code() {
		ast.Inspect(f.ast, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok && s.Sel.Name == "Reveal" && found[f.path] == "" {
				found[f.path] = h.at(f, s)
			}
			return true
		})
	}
	var out []string
	for _, p := range sortedKeys(found) {
		if revealers[p] == "" {
			out = append(out, fmt.Sprintf("%s calls Reveal and stands in no list: look where the value goes next, then add the file to revealers in shared/archtest/secrets_test.go and say what it is revealed for.", found[p]))
		}
	}
	return out
}

// seeds are the files that may name Aadhaar numbers of the sandbox, which are
// UIDAI's public demo numbers.
var seeds = map[string]string{
	"edge/web/webtest/visitor.go":        "the demo numbers that no page may show; the room serves tests only",
	"deploy/local/house/sandbox.go":      "the agent that `make run` puts at the counter",
	"central/bank/simbank/books/seed.go": "the sandbox bank's customers",
	"rdservice/rdsim/glass.go":           "the people whose fingers can lie on the simulator's glass",
}

// twelve finds what could be an Aadhaar number; they never begin with 0 or 1.
var twelve = regexp.MustCompile(`(?:^|[^0-9A-Za-z.])([2-9][0-9]{11})(?:[^0-9A-Za-z.]|$)`)

func TestNoAadhaarInCode(t *testing.T) { enforce(t, residents) }

// residents finds valid Aadhaar numbers in code: one that is written down is
// one that will be used, logged or copied.
func residents(h *house) []string {
	var out []string
	for _, f := range h.code() {
		if seeds[f.path] != "" {
			continue
		}
		for _, m := range twelve.FindAllStringSubmatch(f.src, -1) {
			if a, err := secret.ParseAadhaar(m[1]); err == nil {
				out = append(out, fmt.Sprintf("%s holds the Aadhaar number %s: numbers stand in tests and in the sandbox's seed files only (seeds in shared/archtest/secrets_test.go).", f.path, a.Masked()))
			}
		}
	}
	sort.Strings(out)
	return out
}

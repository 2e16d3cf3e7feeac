package archtest

import (
	"fmt"
	"go/ast"
	"regexp"
	"sort"
	"testing"

	"galla/shared/secret"
)

// mayReveal are the files whose code may take a value out of its secret type; the value
// says what for. Before you add a line, follow the value: it must never reach a log, an
// error text, a URL, a file or a column in clear text.
var mayReveal = map[string]string{
	"shared/secret/mac.go":        "HMAC states of a key",
	"shared/seal/seal.go":         "makes the AEAD of a key",
	"shared/password/password.go": "hashes a PIN or a password",
	"shared/envelope/key.go":      "makes the cipher and the checksum key of a vendor's key",

	"central/terminals.go":                   "hashes an enrolment code for its column",
	"central/bank/simbank/books/pid.go":      "opens a PID block, and compares the finger in it with its customer's",
	"central/bank/network/message.go":        "fills the request that goes to the bank network",
	"central/api/handler.go":                 "measures the fingerprint key",
	"central/accounts/customerpolicy.go":     "keys the hashes that limits and lookups know a customer by",
	"central/api/selfservice.go":             "hands a new key or secret to the vendor who asked for it",
	"central/api/vendorcallbacks.go":         "hands a new secret of callbacks to the vendor who asked for it",
	"central/console/portalcallbacks.go":     "a new secret of callbacks is shown, once",
	"central/console/portalpages.go":         "shows a new key or secret on the page of the person who made it",
	"central/api/terminals.go":               "hands a new enrolment code to the merchant who asked for it",
	"central/cmd/galla-call/entrances.go":    "proves a client's secret to the token route, and shows the token to the route that is called",
	"central/cmd/galla-call/storysandbox.go": "puts a capture of the sandbox's reader into the body of a story's request",
	"central/httpapi/hash.go":                "hashes a client's secret",
	"central/httpapi/jwt.go":                 "makes the signing keys of their seeds",
	"central/httpapi/oauth.go":               "hands a new token to the client who asked for it",
	"central/webhook/sign.go":                "signs a callback, and writes a new secret for the merchant",
	"central/keys/keys.go":                   "looks whether a key can have been drawn at random, and whether one serves twice",
	"shared/checkpoint/checkpoint.go":        "makes the key that signs checkpoints of its seed",
	"central/staff/totp.go":                  "makes the codes of a second factor, and writes its key for who sets it up",
	"central/staff/service.go":               "hashes a session's token, and measures a password",
	"central/staff/manage.go":                "seals a new second factor, and reads a set-up code as it was typed",
	"central/staff/member.go":                "checks a new password's shape",
	"central/staff/browsertoken.go":          "reads a browser's mark",
	"central/staff/preset.go":                "seals a sandbox's second factor",
	"central/httpapi/attempts.go":            "keys the names of the counts of wrong secrets",
	"central/admincli/clients.go":            "prints a program's new secret for the operator who asked for it, once",
	"central/admincli/staff.go":              "prints a set-up code for who runs the command, once",
	"central/console/guard.go":               "gives a session's token to the browser's cookie, and keys the token of its forms with it",
	"central/console/signin.go":              "shows the key of a second factor to who sets it up, and gives a browser its mark",
	"central/console/staff.go":               "shows a set-up code to the admin who asked for it, once",
	"central/console/clients.go":             "shows a program's new secret to the admin who asked for it, once",
	"central/console/terminals.go":           "shows an enrolment code to the operator who asked for it, once",
	"central/console/vendors.go":             "shows a new vendor key to the admin who asked for it, once",
	"central/console/callbacks.go":           "shows a new callback secret to the operator who asked for it, once",
	"central/admincli/callbacks.go":          "prints a new callback secret for the operator who asked for it, once",
	"central/keys/vendorkeys.go":             "seals a vendor's key, and hashes its API key",
	"central/admincli/database.go":           "opens the database of a URL with a password in it",
	"central/server/docs.go":                 "writes the sandbox's public keys into the page that calls with them",
	"central/server/config.go":               "looks at the form of the database's URL",
	"central/cmd/galla-central/vendor.go":    "prints a new vendor key for the operator who asked for it, once",
	"central/bank/simbank/services/otp.go":   "puts an OTP into the text that its telephone gets, in memory",

	"installers/publish/keys.go": "seals and opens a publisher's key by its passphrase",
	"edge/api/request.go":        "fills the request that goes to the line",
	"edge/api/secrets.go":        "looks for a request's OTP in its reply, to take it out",
	"edge/daemon/enrol.go":       "sends the enrolment code and the public key",
	"edge/users/hash.go":         "hands operators' PINs to their hash",
	"edge/users/rules.go":        "checks a new PIN's shape",
	"edge/users/users.go":        "seals operators' Aadhaar numbers in the queue's storage",
	"edge/ui/scan/scan.go":       "hands the number of a scanned card to the page whose Aadhaar field it fills",
	"edge/daemon/settings.go":    "makes the terminal's key of its seed, and seals the agent's Aadhaar number",

	"rdservice/rdcrypto/pid.go": "measures a template's length",

	"deploy/local/sandbox/enrol.go": "calls the central with its token, and hands the enrolment code to galla-edge in a 0600 file",
}

func TestRevealers(t *testing.T) { enforce(t, revealCalls) }

// revealCalls finds callers of Reveal that have no line in mayReveal.
func revealCalls(h *repo) []string {
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
		if mayReveal[p] == "" {
			out = append(out, fmt.Sprintf("%s calls Reveal and is not listed: check where the value goes next, then add the file to mayReveal in shared/archtest/secrets_test.go and say what it is revealed for.", found[p]))
		}
	}
	return out
}

// mayHoldAadhaar are the files that may name Aadhaar numbers of the sandbox, which are
// UIDAI's public demo numbers.
var mayHoldAadhaar = map[string]string{
	"edge/ui/uitest/client.go":           "the demo numbers that no page may show; the package serves tests only",
	"deploy/local/sandbox/sandbox.go":    "the agent that `make run` puts at the counter",
	"central/bank/simbank/books/seed.go": "the sandbox bank's customers",
	"rdservice/rdsim/sensor.go":          "the people whose fingers can lie on the simulator's glass",
}

// aadhaarPattern finds what could be an Aadhaar number; they never begin with 0 or 1.
var aadhaarPattern = regexp.MustCompile(`(?:^|[^0-9A-Za-z.])([2-9][0-9]{11})(?:[^0-9A-Za-z.]|$)`)

func TestNoAadhaarInCode(t *testing.T) { enforce(t, aadhaarNumbers) }

// aadhaarNumbers finds valid Aadhaar numbers in code: a number in code gets used, logged
// or copied.
func aadhaarNumbers(h *repo) []string {
	var out []string
	for _, f := range h.code() {
		if mayHoldAadhaar[f.path] != "" {
			continue
		}
		for _, m := range aadhaarPattern.FindAllStringSubmatch(f.src, -1) {
			if a, err := secret.ParseAadhaar(m[1]); err == nil {
				out = append(out, fmt.Sprintf("%s holds the Aadhaar number %s: only tests and the files of mayHoldAadhaar (shared/archtest/secrets_test.go) may.", f.path, a.Masked()))
			}
		}
	}
	sort.Strings(out)
	return out
}

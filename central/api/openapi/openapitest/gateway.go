package openapitest

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

const title = "Galla: agent banking, remittance and partner administration"

// Who may use the interface, in words and as an SPDX expression.
const (
	license   = "Proprietary; for partners of the operator"
	licenseID = "LicenseRef-Galla-Partner"
)

// introduction is what a reader needs before the first route.
func introduction() []string {
	return []string{
		"Agent banking over the counter (AEPS), domestic money transfer (DMT), UPI QR codes, and the administration of vendors. There are two ways to call each route.",
		"**Direct.** `POST /aeps/withdrawal` with `Authorization: Bearer <access token>` and plain JSON. A merchant's token says who the merchant is; a vendor adds `merchantId` to the body. Tokens come from `POST /oauth/token`.",
		"**Gateway.** `POST /process/aeps/withdrawal` takes the same JSON, encrypted, from vendors, for every route that is open to them there, the administration of a vendor's own merchants and commission included: `X-Client-Id` names the API key, the body is `{\"payload\": …}`, the AES-256-GCM ciphertext in base64. Every reply after authentication is sealed in the same way and opens to what the direct route answers.",
		"**Replies** are `{\"statusCode\", \"message\", \"data\"}`. `00` is success; for AEPS transactions look at `data.ResponseCode` as well. A reply that says 'Transaction pending' is neither success nor failure: ask again, never pay out on it.",
		"**Repeats.** An operation has an identity: `Idempotency-Key` or the reference in the body (`clientRefId`, `refId`), on the gateway `X-Request-Id`. The same identity with the same body gets the stored reply, with `Idempotent-Replayed: true`; with another body it gets 409. The `otp` of a transfer or refund is no part of its body here: what the bank refused for its OTP moved nothing, and the call with another one is a new attempt under the same identity.",
		"Amounts are JSON numbers of rupees with at most two decimals, in any JSON form: 500, 500.00 and 5e2 are one amount. Mobile and account numbers are strings, or numbers where the field says so; leading zeros need a string. Times are ISO 8601. Unknown fields are ignored; a field that stands twice is refused.",
	}
}

func securitySchemes() object {
	return object{
		{schemeOAuth, object{
			{"type", "oauth2"},
			{"description", "OAuth 2.0 client credentials (RFC 6749 section 4.4)."},
			{"flows", object{{"clientCredentials", object{{"tokenUrl", "/oauth/token"}, {"scopes", object{}}}}}},
		}},
		{schemeBearer, object{
			{"type", "http"}, {"scheme", "bearer"}, {"bearerFormat", "JWT"},
			{"description", "An access token of POST /oauth/token: a JWT signed with Ed25519, whose keys are at /.well-known/jwks.json. It ends before its time when the client is suspended or given another secret."},
		}},
		{schemeGateway, object{
			{"type", "apiKey"}, {"in", "header"}, {"name", "X-Client-Id"},
			{"description", "A vendor's API key. It names the vendor; the checksum proves that the caller holds its encryption key."},
		}},
	}
}

// header is a header of requests or replies.
type header struct {
	name, header, about, pattern, format, example string
	required                                      bool
}

func (h header) schema() *schema {
	return &schema{Type: "string", Pattern: h.pattern, Format: h.format}
}

func requestHeaders() []header {
	return []header{
		{name: "IdempotencyKey", header: "Idempotency-Key", about: "The operation's identity, chosen by the caller: 1 to 128 visible ASCII characters. The reference in the body takes its place where there is one.", pattern: `^[!-~]{1,128}$`, example: "order-2026-000017"},
		{name: "RequestId", header: "X-Request-Id", about: "A name for this request in logs and replies; a new one is made where none is sent.", pattern: `^[!-~]{1,128}$`, example: "0190b000-0000-7000-8000-000000000001"},
	}
}

// sealHeaders are the gateway's headers, in requests and replies alike.
func sealHeaders() []header {
	return []header{
		{name: "SealTimestamp", header: "X-Timestamp", about: "Unix time in milliseconds; within 300 seconds of the central's clock.", pattern: `^[0-9]{13}$`, example: "1795253400123", required: true},
		{name: "SealIV", header: "X-IV", about: "12 random bytes in base64 (standard alphabet, padded), new for every message: an exact repeat is refused.", pattern: `^[A-Za-z0-9+/]{16}$`, example: "AAECAwQFBgcICQoL", required: true},
		{name: "SealTag", header: "X-Tag", about: "The 16 bytes of the AES-256-GCM tag in base64.", pattern: `^[A-Za-z0-9+/]{22}==$`, example: "AAECAwQFBgcICQoLDA0ODw==", required: true},
		{name: "SealChecksum", header: "X-Checksum", about: checksumText, pattern: `^[0-9a-f]{64}$`, required: true},
		{name: "SealRequestId", header: "X-Request-Id", about: "The operation's identity, a UUID: a retry sends the same one, with a new timestamp and IV. The reply has it, too.", format: "uuid", example: "0190b000-0000-7000-8000-000000000001", required: true},
	}
}

const checksumText = "Lower-case hex of HMAC-SHA-256 under the key HMAC-SHA-256(encryption key, \"galla/gateway/checksum/v1\") over these lines joined by a newline, none after the last. " +
	"Request: galla-v1, method, path as sent with its query, X-Client-Id, X-Timestamp, X-Request-Id, X-IV, X-Tag, payload. " +
	"Reply: galla-v1-response, HTTP status, X-Request-Id, X-Timestamp, X-IV, X-Tag, payload."

func parameters() object {
	var out object
	for _, h := range slices.Concat(requestHeaders(), sealHeaders()) {
		p := object{{"name", h.header}, {"in", "header"}, {"required", h.required}, {"description", h.about}, {"schema", h.schema()}}
		if h.example != "" {
			p = p.with("example", h.example)
		}
		out = out.with(h.name, p)
	}
	return out
}

// headers are those of replies.
func headers() object {
	out := object{
		{"RequestId", object{{"description", "The caller's X-Request-Id, or a new one."}, {"required", true}, {"schema", &schema{Type: "string"}}}},
		{"Replayed", object{{"description", "The reply was stored by an earlier call with the same identity."}, {"schema", &schema{Type: "string", Const: constant("true")}}}},
		{"RetryAfter", object{{"description", "Seconds to wait before the next call."}, {"required", true}, {"schema", &schema{Type: "integer"}}}},
		{"Challenge", object{{"description", "How to authenticate (RFC 9110)."}, {"required", true}, {"schema", &schema{Type: "string"}}}},
	}
	for _, h := range sealHeaders() {
		out = out.with(h.name, object{{"description", h.about}, {"required", true}, {"schema", h.schema()}})
	}
	return out
}

// gatewayOperation is a route as vendors call it through the gateway.
func (d *Document) gatewayOperation(e entry) object {
	direct := e.route.Method + " " + pathTemplate(e.route.Path)
	list := []object{}
	for _, f := range e.fields {
		if f.in == inPath {
			list = append(list, f.parameter())
		}
	}
	for _, h := range sealHeaders() {
		list = append(list, reference("parameters", h.name))
	}
	about := fmt.Sprintf("%s, in an envelope: the payload opens to the JSON that the direct route takes", direct)
	if e.route.Method == "GET" {
		about += " in its query; the body is sent although the method is GET"
	}
	if e.acting {
		about += ", with merchantId, which must be one of the vendor's own merchants"
	}
	media := object{{"schema", sealedBody(refTo(requestName(e.route)))}, {"example", object{{"payload", examplePayload}}}}
	return object{
		{"operationId", "process_" + operationID(e.route)},
		{"tags", []string{e.group}},
		{"summary", e.Summary + " (gateway)"},
		{"description", about + ". The reply opens to that of the direct route, with the same HTTP status."},
		{"parameters", list},
		{"requestBody", object{{"required", true}, {"content", object{{mediaJSON, media}}}}},
		{"responses", d.sealedResponses(e)},
		{"security", []object{{{schemeGateway, []string{}}}}},
		{"x-direct", operationID(e.route)},
	}
}

// examplePayload is base64 of bytes that are no real ciphertext.
const examplePayload = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="

// sealedBody is the gateway's envelope; inner is what it holds.
func sealedBody(inner *schema) *schema {
	payload := &schema{
		Type: "string", Encoding: "base64", Description: "AES-256-GCM ciphertext of the JSON in base64, without the tag.",
		Examples: []jsontext.Value{constant(examplePayload)},
	}
	if inner != nil {
		payload.Media, payload.Inner = mediaJSON, inner
	}
	return &schema{Type: "object", Required: []string{"payload"}, Properties: ordered[*schema]{{"payload", payload}}}
}

func sealedResponse() object {
	var sent object
	for _, h := range sealHeaders() {
		sent = sent.with(h.header, reference("headers", h.name))
	}
	return object{
		{"description", "A sealed reply: it opens to what the direct route answers with this HTTP status."},
		{"headers", sent},
		{"content", object{{mediaJSON, object{{"schema", refTo(sealedName)}, {"example", object{{"payload", examplePayload}}}}}}},
	}
}

// sealedResponses are the direct route's statuses. Only 401 is plain, since the
// sender is not known yet.
func (d *Document) sealedResponses(e entry) object {
	var out object
	for _, status := range slices.Sorted(maps.Keys(d.replies[e.route.ID])) {
		name := sealedName
		if status == 401 {
			name = component("unauthenticated")
		}
		out = out.with(strconv.Itoa(status), reference("responses", name))
	}
	return out
}

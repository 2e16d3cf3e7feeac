package generate

import (
	"fmt"
	"slices"
	"strings"
)

// sensitive are fields that must be in no text that people or logs see: the customer's
// number and finger, and what opens something.
func sensitive(name string) bool {
	return slices.Contains([]string{"AadharNo", "aadhaarno", "PidData", "otp", "code", "client_secret", "secret", "key"}, name)
}

// nameRoutes gives each route the words of its method's name: those of its path without
// the version, and a verb where a path has several methods or ends in a parameter. Two
// routes of one name are an error.
func nameRoutes(routes []Route) error {
	methods := map[string]int{}
	for _, r := range routes {
		methods[strings.Join(pathWords(r.Path), " ")]++
	}
	taken := map[string]string{}
	for i := range routes {
		r := &routes[i]
		words := pathWords(r.Path)
		if methods[strings.Join(words, " ")] > 1 || strings.HasSuffix(r.Path, "}") {
			words = append(words, verb(*r))
		}
		r.Words = words
		name := strings.Join(words, "")
		if other, ok := taken[name]; ok {
			return fmt.Errorf("%s and %s would both be the method %s", other, r.ID, name)
		}
		taken[name] = r.ID
	}
	return nil
}

// pathWords are the words of a path in lower case: /dmt/txn/v1/transaction/instant has
// dmt, transaction, instant.
func pathWords(path string) []string {
	var words []string
	for _, part := range strings.FieldsFunc(path, func(c rune) bool { return c == '/' || c == '-' || c == '_' }) {
		if part == "v1" || part == "txn" || strings.HasPrefix(part, "{") {
			continue
		}
		for _, word := range camelWords(part) {
			if len(words) == 0 || words[len(words)-1] != word {
				words = append(words, word)
			}
		}
	}
	return words
}

// camelWords divides a word at its capitals: GetDetail is get, detail; a run of capitals
// is one word: GenerateQR, refundOTP, verify_UID.
func camelWords(word string) []string {
	var words []string
	start := 0
	for i := 1; i < len(word); i++ {
		if upper(word[i]) && !upper(word[i-1]) {
			words = append(words, strings.ToLower(word[start:i]))
			start = i
		}
	}
	return append(words, strings.ToLower(word[start:]))
}

func upper(c byte) bool { return c >= 'A' && c <= 'Z' }

func verb(r Route) string {
	switch r.Method {
	case "POST":
		return "create"
	case "PUT":
		return "update"
	case "DELETE":
		return "delete"
	}
	if r.Reply.Data != nil && r.Reply.Data.Base == Array {
		return "list"
	}
	return "get"
}

// aboutRoute is a route's description without what only its sample needs.
func aboutRoute(text string) string {
	var kept []string
	for _, paragraph := range strings.Split(text, "\n\n") {
		if !strings.HasPrefix(paragraph, "The sample ") && !strings.HasPrefix(paragraph, "Roles: ") {
			kept = append(kept, paragraph)
		}
	}
	return strings.Join(kept, "\n\n")
}

// Capital joins words as AepsWithdrawal.
func Capital(words []string) string {
	var b strings.Builder
	for _, w := range words {
		b.WriteString(strings.ToUpper(w[:1]) + w[1:])
	}
	return b.String()
}

// Camel joins words as aepsWithdrawal.
func Camel(words []string) string { return words[0] + Capital(words[1:]) }

// Snake joins words as aeps_withdrawal.
func Snake(words []string) string { return strings.Join(words, "_") }

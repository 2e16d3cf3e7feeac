// Package help holds the pages that answer questions in the agent's language: by words, by
// the codes of the fingerprint reader and of the bank, and in the agent's guide.
//
// An unknown code never reads as a success. Every entry of the bank except the approval
// begins with not giving cash. All of it works offline. A code enters by the address
// (/help?code=51), words or a code by the form (/help?q=otp). The codes come from packages
// outcome and rdservice, so each code that the counter knows has an entry; the other articles
// are those of package guide. The folder words holds what agents type for an article. No
// query is stored or logged.
package help

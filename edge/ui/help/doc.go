// Package help holds the pages that explain the codes of the fingerprint reader and of the
// bank in the agent's language, with what to do next.
//
// An unknown code never reads as a success. Every entry of the bank except the approval
// begins with not giving cash. All of it works offline. A code enters by the address
// (/help?code=51) or the form; the tables come from packages outcome and rdservice, so
// each code that the counter knows has an entry.
package help

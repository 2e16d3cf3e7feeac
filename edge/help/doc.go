// Package help is the pages that explain codes: each code of the fingerprint
// reader and of the bank, in plain words of the agent's language, with what to
// do next.
//
// It promises that a code which is not known never reads as a success, that no
// entry of the bank but the approval says anything else first than not to give
// cash, and that all of it works without a line. A code enters by the address
// (/help?code=51) or the form; the tables come from packages codes and
// rdservice, so that no code that the counter knows lacks its entry.
package help

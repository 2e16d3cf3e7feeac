// Package words holds what the counter says to people, in six languages:
// every text by key, and how amounts, times and numbers are written and spelled.
//
// It promises that a key stands for one text of one room, that a text that a
// language lacks is given in English and never left out, and that Faults finds
// every such gap. Digits are Latin and grouped the Indian way in all languages.
//
// Texts enter as catalogues, one JSON file a language, which the rooms embed;
// they leave through Words, the view of one language. A text holds its
// variables in braces, such as {amount}; one that depends on a number is an
// object of its plural forms:
//
//	"send.title":  "Send money to {name}",
//	"send.found":  {"one": "{n} account", "other": "{n} accounts"}
package words

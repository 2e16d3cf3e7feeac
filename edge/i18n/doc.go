// Package i18n holds the counter's texts in six languages, by key, and the format and
// spelling of amounts, times and numbers.
//
// A key has one text of one section. A text that a language lacks is shown in English;
// package i18ntest finds every such gap. Digits are Latin and grouped the Indian way in all
// languages.
//
// Texts enter as catalogues, one JSON file for each language, which the sections embed;
// they leave through Localizer, the view of one language. A text holds its variables in
// braces, such as {amount}; one that depends on a number is an object of its plural forms:
//
//	"dmt.title":  "Send money to {name}",
//	"dmt.found":  {"one": "{n} account", "other": "{n} accounts"}
package i18n

// Package search finds short texts by words: a small inverted index in memory, for a few
// hundred texts.
//
// New takes the texts, each with a name and parts of different weight; Find takes what
// somebody typed and returns names, the best first. All languages are in one index: the
// scripts keep their words apart, and who types another language finds the same text. Words
// match with one letter wrong, long ones with two, and by their beginning, so that endings of a language and
// half a word do not matter. An Index does not change and keeps nothing of a query.
package search

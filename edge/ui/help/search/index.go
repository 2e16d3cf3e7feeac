package search

import (
	"cmp"
	"math"
	"slices"
)

// Text is something to find.
type Text struct {
	Name  string // what Find returns
	Parts []Part
}

// Part is a piece of a text. A word counts by the heaviest part that has it.
type Part struct {
	Weight float64
	Words  string
}

// Index finds texts. It is safe for concurrent use.
type Index struct {
	names []string
	words []word
}

// word is one word of the index with the texts that have it.
type word struct {
	letters []rune
	rarity  float64         // the fewer texts have it, the more it says
	weights map[int]float64 // by the text's place in names
}

// New makes the index of texts. Of texts that match equally well, the earlier is better.
func New(texts ...Text) *Index {
	x := &Index{}
	found := map[string]map[int]float64{}
	for i, t := range texts {
		x.names = append(x.names, t.Name)
		for _, p := range t.Parts {
			for _, w := range Words(p.Words) {
				if found[w] == nil {
					found[w] = map[int]float64{}
				}
				found[w][i] = max(found[w][i], p.Weight)
			}
		}
	}
	for w, weights := range found {
		rarity := math.Log(1 + float64(len(texts))/float64(len(weights)))
		x.words = append(x.words, word{[]rune(w), rarity, weights})
	}
	// Sums of floating-point numbers depend on their order.
	slices.SortFunc(x.words, func(a, b word) int { return slices.Compare(a.letters, b.letters) })
	return x
}

// What Find leaves out: texts that miss most of what was typed, or are much worse than the
// best.
const (
	leastShare  = 0.4 // of the typed words, by their rarity
	leastOfBest = 0.3 // of the best text's score
	maxTyped    = 12  // words of a query
)

// Find returns the names of the texts that match a query, best first, at most n.
func (x *Index) Find(query string, n int) []string {
	typed := Words(query)
	typed = typed[:min(len(typed), maxTyped)]
	score := make([]float64, len(x.names))
	share := make([]float64, len(x.names)) // of the query that the text has
	whole := 0.0
	for _, t := range typed {
		best, rarity := x.scores([]rune(t))
		for i, s := range best {
			score[i] += s.score
			share[i] += s.match * rarity
		}
		whole += rarity
	}
	top := 0.0
	for i := range score {
		if whole > 0 {
			score[i] *= share[i] / whole
			share[i] /= whole
		}
		top = max(top, score[i])
	}
	var found []int
	for i := range score {
		if score[i] > 0 && share[i] >= leastShare && score[i] >= leastOfBest*top {
			found = append(found, i)
		}
	}
	slices.SortStableFunc(found, func(a, b int) int { return cmp.Compare(score[b], score[a]) })
	var names []string
	for _, i := range found[:min(n, len(found))] {
		names = append(names, x.names[i])
	}
	return names
}

type wordScore struct{ score, match float64 }

// scores returns, by text, what one typed word finds, and how much the word says: as much
// as the rarest one that it may mean. A word that no text has says as much as a rare one.
func (x *Index) scores(typed []rune) (map[int]wordScore, float64) {
	found := map[int]wordScore{}
	best, rarity := 0.0, math.Log(1+float64(len(x.names)))
	for _, w := range x.words {
		m := match(typed, w.letters)
		if m == 0 {
			continue
		}
		if m > best {
			best, rarity = m, w.rarity
		}
		for i, weight := range w.weights {
			if s := m * w.rarity * weight; s > found[i].score {
				found[i] = wordScore{s, m}
			}
		}
	}
	return found, rarity
}

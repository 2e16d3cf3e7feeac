package cashbook

import (
	"iter"

	"galla/edge"
)

// TotalOf returns what operations moved, whatever their days: the successful ones with
// their total amount, and the cash into and out of the drawer, all as in the day's chart.
// Its label is empty.
func TotalOf(records iter.Seq[*edge.Record]) (total Bar) {
	for r := range records {
		total.count(r)
		total.add(EntriesOf(*r)...)
	}
	return total
}

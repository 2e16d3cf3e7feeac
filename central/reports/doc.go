// Package reports makes the reports of a central: what the bank settled, commission with its
// taxes, and volumes by bank, kind and merchant, of any range of Indian days.
//
// An operation counts on the day of its outcome, an earning on the day on which it was
// earned or reversed. So a day that has ended no longer changes: Closer sums it up once,
// when an hour of the next day is over, and a report adds up days. It never reads the
// operations themselves, so that its first page comes at once with a million of them.
// Settlement files are summed up by merchant when they were compared; open cases are
// counted when the report is read.
//
// Service reads a report in pages, and writes it as CSV. Schedule writes chosen reports as
// files into places (Place): a folder, or a bucket. A report of a range has one name. A file
// that is there with the same content is left alone, and one with another content is never
// overwritten: the next revision gets a name of its own. So a run that is made twice, by two
// nodes or after a crash, leaves what one leaves.
//
// Data enters by DayStore, SettlementStore, FigureStore and RunStore, and leaves as Table,
// as CSV, and as files. Amounts are paise, in CSV rupees with two decimals.
package reports

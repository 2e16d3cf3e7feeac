package rows

import (
	"fmt"
	"regexp"
	"strconv"
	"time"

	"galla/shared/ist"
)

// sameTime is how far from the observation its own times are at most: deadlines are later.
const sameTime = time.Hour

// uuid7 is where a UUID of version 7 has its time, in milliseconds.
var uuid7 = regexp.MustCompile(`\b[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-`)

// Earlier is the plan of withdrawals that were made so much earlier than the observed one,
// which was at a given time: milliseconds since 1970, days of the Indian calendar, and the
// times in UUIDs.
func (p Plan) Earlier(by time.Duration, at time.Time) Plan {
	days := regexp.MustCompile(`\b` + string(ist.DayOf(at)) + `\b`)
	text := func(s string) string {
		s = days.ReplaceAllLiteralString(s, string(ist.DayOf(at.Add(-by))))
		return uuid7.ReplaceAllStringFunc(s, func(id string) string {
			ms, err := strconv.ParseInt(id[:8]+id[9:13], 16, 64)
			if err != nil || time.UnixMilli(ms).Sub(at).Abs() > sameTime {
				return id
			}
			hex := fmt.Sprintf("%012x", ms-by.Milliseconds())
			return hex[:8] + "-" + hex[8:] + id[13:]
		})
	}
	earlier := Plan{}
	for _, f := range p.Fresh {
		earlier.Fresh = append(earlier.Fresh, text(f))
	}
	for _, commit := range p.Commits {
		var list []Statement
		for _, s := range commit {
			moved := Statement{SQL: s.SQL}
			for _, v := range s.Args {
				switch {
				case v.Int != nil && time.UnixMilli(*v.Int).Sub(at).Abs() <= sameTime:
					v = newValue(*v.Int - by.Milliseconds())
				case v.Text != nil:
					v = newValue(text(*v.Text))
				case v.Bytes:
					v = newValue([]byte(text(string(v.Blob))))
				}
				moved.Args = append(moved.Args, v)
			}
			list = append(list, moved)
		}
		earlier.Commits = append(earlier.Commits, list)
	}
	return earlier
}

package field

import (
	"slices"
	"testing"
)

func TestList(t *testing.T) {
	for text, want := range map[string][]string{
		"": {"day"}, "day": {"day"}, "type,day": {"type", "day"}, "day,merchant,type": {"day", "merchant", "type"},
		"day,day": nil, "week": nil, "day,": nil, ",day": nil, "day, type": nil, "DAY": nil,
	} {
		var r Reader
		r.AddQuery(map[string]string{"groupBy": text})
		got := r.List("groupBy", []string{"day"}, "day", "merchant", "type")
		if want == nil {
			if r.Err() == nil {
				t.Errorf("%q was accepted as %v", text, got)
			}
			continue
		}
		if err := r.Err(); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	var absent Reader
	if got := absent.List("groupBy", []string{"day"}, "day"); !slices.Equal(got, []string{"day"}) || absent.Err() != nil {
		t.Errorf("absent: %v", got)
	}
}

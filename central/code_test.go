package central_test

import (
	"testing"

	"galla/central"
	"galla/shared/op"
)

func TestResponseCode(t *testing.T) {
	for _, c := range []struct {
		end        op.State
		bank, want string
	}{
		{op.Succeeded, "00", "00"}, {op.Succeeded, "", "00"}, {op.Succeeded, "51", "00"},
		{op.Failed, "51", "51"}, {op.Failed, "", "96"}, {op.Failed, "00", "96"},
		{op.Reversed, "68", "68"}, {op.Reversed, "", "22"}, {op.Reversed, "00", "22"},
	} {
		if got := central.ResponseCode(c.end, c.bank); got != c.want {
			t.Errorf("%s with the bank's %q: %s, want %s", c.end, c.bank, got, c.want)
		}
	}
}

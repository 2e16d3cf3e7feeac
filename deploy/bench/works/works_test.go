//go:build linux

package works

import (
	"slices"
	"strings"
	"testing"
)

func TestChoose(t *testing.T) {
	all, err := Choose(nil)
	if err != nil || len(all) == 0 {
		t.Fatal(all, err)
	}
	for _, w := range all {
		if w.Long {
			t.Errorf("%s is long and was not asked for", w.Name)
		}
	}
	if got, err := Choose([]string{"sqlite"}); err != nil || len(got) != 1 || got[0].Name != "sqlite" {
		t.Error(got, err)
	}
	if _, err := Choose([]string{"sqlite", "nothing"}); err == nil {
		t.Error("a work that is not there was chosen")
	}
}

func TestParsePgbench(t *testing.T) {
	got, err := parsePgbench([]byte("latency average = 50 ms\ntps = 638.120000 (without initial connection time)\n"))
	if err != nil || got.rate != 638.12 {
		t.Errorf("%v, %v", got, err)
	}
	for _, text := range []string{"number of transactions actually processed: 0\n", "tps = 0.0 (without)\n"} {
		if _, err := parsePgbench([]byte(text)); err == nil {
			t.Errorf("%q was taken", text)
		}
	}
}

func TestReadTrace(t *testing.T) {
	const begin, answered, end = `7 faccessat(AT_FDCWD, "/galla-bench/begin", F_OK) = -1`, `7 faccessat(AT_FDCWD, "/galla-bench/answered", F_OK) = -1`, `7 faccessat(AT_FDCWD, "/galla-bench/end", F_OK) = -1`
	text := strings.Join([]string{
		"7 fdatasync(9) = 0", begin, "7 fsync(8) = 0", "8 fdatasync(9 <unfinished ...>", "8 <... fdatasync resumed>) = 0", answered, "7 fdatasync(9) = 0", end,
		"7 fdatasync(9) = 0", begin, "7 fsync(8) = 0", answered, end,
	}, "\n")
	got, cash, err := readTrace([]byte(text))
	if err != nil || !slices.Equal(got, []float64{2, 1}) || !slices.Equal(cash, []float64{1, 0}) {
		t.Errorf("%v, %v, %v", got, cash, err)
	}
	if _, _, err := readTrace([]byte("7 fdatasync(9) = 0\n")); err == nil {
		t.Error("a trace without withdrawals was taken")
	}
}

func TestReadPages(t *testing.T) {
	got, order, err := readPages([]byte(`goos: linux
BenchmarkKeyToPage/empty-2         	      20	 70000000 ns/op	        38.10 best-ms	        45.50 p50-ms	        65.00 p95-ms
BenchmarkKeyToPage/withdrawal-2    	      20	170000000 ns/op	        88.10 best-ms	        91.00 p50-ms	       114.00 p95-ms
PASS
`))
	if err != nil || got["empty"] != 45.5 || got["withdrawal"] != 91 || !slices.Equal(order, []string{"empty", "withdrawal"}) {
		t.Errorf("%v, %v, %v", got, order, err)
	}
	if _, _, err := readPages([]byte("PASS\n")); err == nil {
		t.Error("a run without times was taken")
	}
}

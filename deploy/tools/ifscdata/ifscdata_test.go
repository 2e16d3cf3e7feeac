package main

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// sample writes a package with the given files in place of good ones.
func sample(t *testing.T, change map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	if err := os.Mkdir(filepath.Join(folder, "src"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"package.json":            `{"name":"ifsc","version":"2.0.50","license":"MIT"}`,
		"src/IFSC.json":           `{"SBIN":[2,1,1234,"0SC01A"],"ABCD":[7]}`,
		"src/banknames.json":      `{"SBIN":"State  Bank of India","AACX":"Akhand Anand Bank"}`,
		"src/sublet.json":         `{"HDFC0CAACOB":"AACX"}`,
		"src/custom-sublets.json": `{"YESB0SPC":"Shahada Bank"}`,
	} {
		if changed, ok := change[name]; ok {
			text = changed
		}
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func TestRun(t *testing.T) {
	const want = "galla-ifsc\t1\nsource\tnpm package ifsc 2.0.50 of Razorpay, MIT licence\ndate\t2026-08-24\n" +
		"B\tABCD\tABCD\ta000007\nB\tSBIN\tState Bank of India\ta000001f2c1234bSC01A\n" +
		"S\tHDFC0CAACOB\tAkhand Anand Bank\nP\tYESB0SPC\tShahada Bank\n"
	var made [2][]byte
	for i := range made {
		out := filepath.Join(t.TempDir(), "out.gz")
		if err := run(sample(t, nil), "2026-08-24", out); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		made[i] = b
	}
	if !bytes.Equal(made[0], made[1]) {
		t.Error("two runs differ")
	}
	r, err := gzip.NewReader(bytes.NewReader(made[0]))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil || string(text) != want {
		t.Errorf("%q, %v", text, err)
	}
}

func TestRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		change map[string]string
		date   string
		says   string
	}{
		"no date":         {nil, "", "date"},
		"another package": {map[string]string{"package.json": `{"name":"other","version":"1","license":"MIT"}`}, "2026-08-24", "not the package"},
		"another licence": {map[string]string{"package.json": `{"name":"ifsc","version":"3","license":"GPL"}`}, "2026-08-24", "licence"},
		"a long code":     {map[string]string{"src/IFSC.json": `{"SBIN":[12345678]}`}, "2026-08-24", "12345678"},
		"a small letter":  {map[string]string{"src/IFSC.json": `{"SBIN":["00000a"]}`}, "2026-08-24", "00000a"},
		"no codes":        {map[string]string{"src/IFSC.json": `{}`}, "2026-08-24", "no codes"},
		"a short sublet":  {map[string]string{"src/sublet.json": `{"HDFC1":"AACX"}`}, "2026-08-24", "HDFC1"},
		"markup in names": {map[string]string{"src/banknames.json": `{"SBIN":"<b>"}`}, "2026-08-24", "unexpected"},
		"broken JSON":     {map[string]string{"src/sublet.json": `{`}, "2026-08-24", "sublet.json"},
	} {
		err := run(sample(t, c.change), c.date, filepath.Join(t.TempDir(), "out.gz"))
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

package iin

import (
	"strings"
	"testing"
)

func TestLoad(t *testing.T) {
	list, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	all := list.All()
	if len(all) < 110 {
		t.Errorf("%d banks, want at least 110", len(all))
	}
	for iin, name := range map[string]string{
		"607094": "State Bank of India", "607027": "Punjab National Bank", "606985": "Bank of Baroda",
		"608314": "India Post Payments Bank", Sandbox: "Sandbox Test Bank", "990320": "Airtel Payments Bank",
	} {
		if !list.Known(iin) || list.Name(iin) != name {
			t.Errorf("IIN %s is %q, want %q", iin, list.Name(iin), name)
		}
	}
	for _, unknown := range []string{"", "607095x", "000000", "９９０３２６"} {
		if list.Known(unknown) || list.Name(unknown) != "" {
			t.Errorf("IIN %q is known", unknown)
		}
	}
	for _, b := range all {
		if b.Source == Invented && b.Verified {
			t.Errorf("invented IIN %s is called verified", b.IIN)
		}
	}
}

func TestAllIsTheCallersOwn(t *testing.T) {
	list, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	first := list.All()[0]
	list.All()[0] = Bank{IIN: "000000", Name: "changed"}
	if list.All()[0] != first {
		t.Error("a caller changed the list")
	}
}

const header = "iin,name,source,verified\n"

func TestParseRefuses(t *testing.T) {
	sandbox := "990326,Sandbox Test Bank,interface document,yes\n"
	for name, text := range map[string]string{
		"nothing":            "",
		"another header":     "iin,bank\n",
		"no sandbox bank":    header + "607094,State Bank of India,public sources,yes\n",
		"short IIN":          header + "60709,State Bank of India,public sources,yes\n",
		"letters in the IIN": header + "60709x,State Bank of India,public sources,yes\n",
		"no name":            header + "607094,,public sources,yes\n",
		"padded name":        header + "607094, State Bank of India,public sources,yes\n",
		"unprintable name":   header + "607094,State\x01Bank,public sources,yes\n",
		"invalid UTF-8":      header + "607094,State\xffBank,public sources,yes\n",
		"unknown source":     header + "607094,State Bank of India,hearsay,no\n",
		"verified nonsense":  header + "607094,State Bank of India,public sources,true\n",
		"verified memory":    header + "607094,State Bank of India,memory,yes\n",
		"invented elsewhere": header + "607094,State Bank of India,invented,no\n",
		"IIN twice":          header + sandbox + "990326,Unity Bank,interface document,yes\n",
		"name twice":         header + sandbox + "990327,sandbox test bank,memory,no\n",
		"out of order":       header + sandbox + "607094,Axis Bank,memory,no\n",
		"too few fields":     header + "990326,Sandbox Test Bank,yes\n",
	} {
		if _, err := Parse(strings.NewReader(text)); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(string(banks))
	f.Add(header + "990326,Sandbox Test Bank,interface document,yes\n")
	f.Fuzz(func(t *testing.T, text string) {
		list, err := Parse(strings.NewReader(text))
		if err != nil {
			return
		}
		for _, b := range list.All() {
			if len(b.IIN) != 6 || b.Name == "" || list.Name(b.IIN) != b.Name {
				t.Fatalf("accepted bank %+v", b)
			}
		}
	})
}

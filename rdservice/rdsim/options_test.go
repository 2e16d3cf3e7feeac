package rdsim

import (
	"strings"
	"testing"

	"galla/rdservice"
)

const safeOptions = `<PidOptions ver="1.0"><Opts fCount="1" fType="2" iCount="0" pCount="0" format="0" pidVer="2.0" timeout="10000" posh="UNKNOWN" env="P"/></PidOptions>`

func TestOptions(t *testing.T) {
	with := func(old, new string) string { return strings.Replace(safeOptions, old, new, 1) }
	for _, tt := range []struct{ name, text, code string }{
		{"safe form", safeOptions, ""},
		{"declaration and CustOpts", `<?xml version="1.0"?>` + with("</PidOptions>", "<CustOpts><Param name=\"a\" value=\"b\"/></CustOpts></PidOptions>"), ""},
		{"empty Demo", with("</PidOptions>", "<Demo></Demo></PidOptions>"), ""},
		{"defaults", `<PidOptions><Opts fCount="1" format="0" pidVer="2.0" timeout="1000"/></PidOptions>`, ""},
		{"two named fingers", strings.NewReplacer(`fCount="1"`, `fCount="2"`, "UNKNOWN", "LEFT_THUMB,LEFT_INDEX").Replace(safeOptions), ""},
		{"empty", "", "100"},
		{"no XML", "fCount=1", "100"},
		{"cut off", safeOptions[:60], "100"},
		{"other root", "<Options/>", "100"},
		{"two roots", safeOptions + safeOptions, "100"},
		{"no Opts", `<PidOptions ver="1.0"/>`, "100"},
		{"two Opts", with("</PidOptions>", "<Opts/></PidOptions>"), "100"},
		{"version", with(`ver="1.0"`, `ver="2.0"`), "100"},
		{"DTD", `<!DOCTYPE a>` + safeOptions, "100"},
		{"unknown attribute", with("fCount", `x="1" fCount`), "100"},
		{"attribute twice", with("fCount", `fType="2" fCount`), "100"},
		{"unknown element", with("</PidOptions>", "<X/></PidOptions>"), "100"},
		{"text", with("</PidOptions>", "x</PidOptions>"), "100"},
		{"wadh", with("posh", `wadh="abc" posh`), "100"},
		{"too large", with("</PidOptions>", strings.Repeat(" ", maxOptions)+"</PidOptions>"), "100"},
		{"fType", with(`fType="2"`, `fType="3"`), "110"},
		{"fCount", with(`fCount="1"`, `fCount="11"`), "120"},
		{"fCount missing", with(`fCount="1"`, ``), "120"},
		{"no finger", with(`fCount="1"`, `fCount="0"`), "120"},
		{"iType", with(`iCount`, `iType="1" iCount`), "130"},
		{"iCount", with(`iCount="0"`, `iCount="x"`), "140"},
		{"pidVer", with(`"2.0"`, `"1.0"`), "150"},
		{"timeout too short", with("10000", "999"), "160"},
		{"timeout too long", with("10000", "120001"), "160"},
		{"timeout missing", with(`timeout="10000"`, ""), "160"},
		{"posh", with("UNKNOWN", "NOSE"), "170"},
		{"posh for more", with("UNKNOWN", "LEFT_THUMB,LEFT_INDEX"), "170"},
		{"posh twice", strings.NewReplacer(`fCount="1"`, `fCount="2"`, "UNKNOWN", "LEFT_THUMB,LEFT_THUMB").Replace(safeOptions), "170"},
		{"face", with(`pCount="0"`, `pCount="1"`), "180"},
		{"format", with(`format="0"`, `format="7"`), "190"},
		{"Demo", with("</PidOptions>", `<Demo><Pi name="x"/></Demo></PidOptions>`), "200"},
		{"Demo text", with("</PidOptions>", `<Demo>x</Demo></PidOptions>`), "200"},
		{"protobuf", with(`format="0"`, `format="1"`), "210"},
		{"env", with(`env="P"`, `env="X"`), "220"},
		{"iris", with(`iCount="0"`, `iCount="1"`), "760"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, refused := readOptions([]byte(tt.text), rdservice.Finger)
			// The size is checked where the request is read.
			if len(tt.text) > maxOptions {
				_, address, _ := start(t, Config{})
				_, body := raw(t, "CAPTURE", address+"/rd/capture", tt.text)
				if !strings.Contains(body, `errCode="100"`) {
					t.Error(body)
				}
				return
			}
			got := ""
			if refused != nil {
				got = refused.code
			}
			if got != tt.code {
				t.Errorf("answered %q, want %q", got, tt.code)
			}
		})
	}
}

func FuzzReadOptions(f *testing.F) {
	f.Add([]byte(safeOptions))
	f.Add([]byte(`<PidOptions><Demo/><Opts posh="LEFT_THUMB"/></PidOptions>`))
	f.Fuzz(func(t *testing.T, b []byte) {
		for reads, got := range map[rdservice.Family]func(wanted) int{
			rdservice.Finger: func(w wanted) int { return w.fingers },
			rdservice.Iris:   func(w wanted) int { return w.irises },
			rdservice.Face:   func(w wanted) int { return w.faces },
		} {
			w, refused := readOptions(b, reads)
			if refused == nil && (got(w) < 1 || got(w) != w.count() || w.fingers > maxFingers || w.irises > 2 || w.faces > 1 || w.timeout < minTimeout) {
				t.Errorf("%s: accepted %+v", reads, w)
			}
		}
	})
}

package rdsim

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"galla/rdservice"
	"galla/rdservice/rdcrypto"
)

// The interface that programs outside this repository drive (sandbox.md,
// 'Interfaces for tests and integrators'), name by name.
func TestSandboxInterface(t *testing.T) {
	d, address, client := start(t, Config{})
	if got, want := d.glass.view(), (fingerView{"XXXXXXXX7058", "RIGHT_INDEX", 80}); got != want || d.glass.resident.reveal() != "999941057058" {
		t.Errorf("at start lies %+v on the glass, want %+v", got, want)
	}
	for _, finger := range rdcrypto.Fingers() { // the ten fingers of each customer
		post(t, address+"/sim/finger", fmt.Sprintf(`{"aadhaar": "999933119405", "finger": %q, "quality": 80}`, finger), 200)
		got, err := client.Capture(t.Context(), only(t, client), rdservice.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if is, ok := rdcrypto.Match("999933119405", open(t, got).Bios[0].Raw.Reveal()); !ok || is != finger {
			t.Errorf("the bank finds %q, want %s", is, finger)
		}
	}
	// Every profile in every status, changed while the service runs.
	for _, profile := range []string{"plain", "mantra", "morpho", "startek"} {
		for status, code := range map[string]string{"READY": "0", "NOTREADY": "720", "USED": "710"} {
			post(t, address+"/sim/device", fmt.Sprintf(`{"profile": %q, "status": %q, "warmup": 0}`, profile, status), 200)
			s := only(t, client)
			got, err := client.Capture(t.Context(), s, rdservice.Options{})
			if err != nil || string(s.Status) != status || got.Reply.ErrCode != code {
				t.Errorf("%s %s: %+v, %+v, %v", profile, status, s, got.Reply, err)
			}
		}
	}
	post(t, address+"/sim/script", `[{"errCode": "0", "errInfo": "x", "qScore": 60, "nmPoints": 40, "delayMs": 1, "hang": false, "reset": false, "truncate": 0, "httpStatus": 200}]`, 200)
	post(t, address+"/sim/device", `{"profile": "plain", "status": "READY"}`, 200)
	got, err := client.Capture(t.Context(), only(t, client), rdservice.Options{})
	if q, _ := got.Reply.QScore.Lowest(); err != nil || q != 60 || got.Reply.ErrInfo != "x" {
		t.Errorf("%+v, %v", got.Reply, err)
	}
	var journal []map[string]any
	_, body := raw(t, "GET", address+"/sim/journal", "")
	if err := json.Unmarshal([]byte(body), &journal); err != nil || len(journal) != 10+12+1 {
		t.Fatalf("%d entries, %v", len(journal), err)
	}
	last := journal[len(journal)-1]
	if last["pidOptions"] != safeOptions || last["errCode"] != "0" || last["qScore"] != "60" || last["nmPoints"] != "40" {
		t.Errorf("the journal ends with %v", last)
	}
	if have := ProfileNames(rdservice.Finger); !slices.Equal(have, []string{"plain", "mantra", "morpho", "startek"}) {
		t.Errorf("profiles of fingers are %v", have)
	}
}

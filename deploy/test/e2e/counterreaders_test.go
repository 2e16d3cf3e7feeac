//go:build linux

package e2e

import ()

func (d *counterDay) readerUnplugged() {
	d.section("the reader is unplugged")
	b := d.b
	d.placeFinger(choudhury)
	d.device("NOTREADY")
	d.beginWith(person("withdrawal", "100"), "")
	b.awaitState("problem")
	b.shot("reader-unplugged")
	d.device("READY")
	d.script(map[string]any{"errCode": "700", "errInfo": "Capture timed out"})
	b.press("s")
	b.awaitText("h1", "No finger detected")
	b.shot("reader-timed-out")

	// It goes while the finger lies on it, and comes back.
	d.script(map[string]any{"delayMs": 1500, "reset": true})
	b.press("s")
	b.awaitState("capturing")
	b.says("DO NOT GIVE CASH YET")
	b.awaitState("problem")
	b.awaitText(".banner", "Nothing has been sent")
	b.shot("reader-unplugged-during-capture")

	// A faint print is asked for once more before the bank is.
	d.script(map[string]any{"qScore": "31"})
	b.press("s")
	b.awaitText(".reading", "31 of 100")
	b.shot("print-faint")
	b.shotNarrow("print-faint")
	b.click("#do-abandon")
	b.awaitState("expired")
	b.says("DO NOT GIVE CASH")
	b.shot("given-up")
}

// readersMatchStatusBar checks that the page of readers agrees with the status bar,
// without a reload, when the reader is unplugged and plugged in again.
func (d *counterDay) readersMatchStatusBar() {
	d.section("the page of readers follows the reader")
	b := d.b
	b.goTo("/readers")
	b.awaitText(".chosen .state", "Ready")
	b.awaitText("#chips", "Reader ready")
	d.device("NOTREADY")
	b.awaitText("#chips", "Reader not ready")
	b.awaitText(".chosen .state", "Not ready")
	b.shot("readers-unplugged")
	d.device("READY")
	b.awaitText("#chips", "Reader ready")
	b.awaitText(".chosen .state", "Ready")
}

func (d *counterDay) device(status string) {
	d.t.Helper()
	if code, _, body, err := d.h.do("POST", d.h.url("RDSIM")+"/sim/device", map[string]any{"status": status}); err != nil || code/100 != 2 {
		d.t.Fatalf("POST /sim/device: %v, HTTP %d: %s", err, code, body)
	}
}

func (d *counterDay) script(outcomes ...map[string]any) {
	d.t.Helper()
	if code, _, body, err := d.h.do("POST", d.h.url("RDSIM")+"/sim/script", outcomes); err != nil || code/100 != 2 {
		d.t.Fatalf("POST /sim/script: %v, HTTP %d: %s", err, code, body)
	}
}

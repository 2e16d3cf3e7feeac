package rdsim

import "time"

// maxJournal is how many captures the journal keeps; older ones are dropped.
const maxJournal = 1000

// Entry is a received PidOptions and what was answered, without any payload.
type Entry struct {
	At         time.Time `json:"at"`
	Path       string    `json:"path"`
	PidOptions string    `json:"pidOptions"`
	ErrCode    string    `json:"errCode"`
	ErrInfo    string    `json:"errInfo"`
	QScore     string    `json:"qScore"`
	NmPoints   string    `json:"nmPoints"`
	Outcome    string    `json:"outcome"`    // answered, hung, reset, truncated or abandoned
	HTTPStatus int       `json:"httpStatus"` // 0 where none was sent
	Bytes      int       `json:"bytes"`      // length of PidData that was sent
	TookMs     int64     `json:"tookMs"`
}

func (d *Device) record(e Entry) {
	d.mu.Lock()
	if len(d.journal) == maxJournal {
		d.journal = append(d.journal[:0], d.journal[1:]...)
	}
	d.journal = append(d.journal, e)
	d.mu.Unlock()
	d.log.Info("capture", "errCode", e.ErrCode, "outcome", e.Outcome, "httpStatus", e.HTTPStatus, "bytes", e.Bytes, "tookMs", e.TookMs)
}

// Journal gives the captures since the start, oldest first.
func (d *Device) Journal() []Entry {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]Entry{}, d.journal...)
}

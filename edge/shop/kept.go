package shop

import (
	"errors"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"

	"galla/shared/op"
)

// keptCodes names the codes of single amounts in the memory. The operations
// that brought them are enquiries, which a restart forgets; a customer may still
// stand before the code.
const keptCodes = "shop codes"

// shownCode is a code that was shown, with the operation that brought it.
type shownCode struct {
	ID op.ID `json:"id"`
	code
}

// readCodes reads what was kept; anything else is no codes, with an error to
// log: they are asked for anew.
func readCodes(b []byte) ([]shownCode, error) {
	if len(b) == 0 {
		return nil, nil
	}
	var all []shownCode
	if len(b) > maxKeptCodes || json.Unmarshal(b, &all) != nil || len(all) > maxCodes {
		return nil, errors.New("the kept UPI codes are not what was written")
	}
	for _, c := range all {
		read, err := readLink(c.Link)
		if err == nil && (read.Amount != c.Amount || read.VPA != c.VPA) {
			err = errCode
		}
		if err != nil {
			return nil, fmt.Errorf("the kept UPI code of %s: %w", c.ID, err)
		}
	}
	return all, nil
}

// keepCode keeps a code that was shown, for as long as newer ones do not take
// its place.
func (s *Shop) keepCode(id op.ID, c code) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.codeOf(id); ok {
		return nil
	}
	all := append(slices.Clone(s.codes), shownCode{id, c})
	all = all[max(0, len(all)-maxCodes):]
	b, err := json.Marshal(all, json.Deterministic(true))
	if err != nil {
		return err
	}
	if err := s.memory.Cache(keptCodes, b, s.counter.Status().Now); err != nil {
		return err
	}
	s.codes = all
	return nil
}

// kept gives a code that was shown before.
func (s *Shop) kept(id op.ID) (code, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.codeOf(id)
}

// codeOf is kept with the mutex held.
func (s *Shop) codeOf(id op.ID) (code, bool) {
	i := slices.IndexFunc(s.codes, func(c shownCode) bool { return c.ID == id })
	if i < 0 {
		return code{}, false
	}
	return s.codes[i].code, true
}

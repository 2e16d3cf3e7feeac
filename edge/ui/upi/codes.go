package upi

import (
	"errors"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"

	"galla/shared/op"
)

// codesCacheKey is the cache key of recent codes with an amount. The operations that
// produced them are enquiries, which a restart removes, while a customer may still be
// paying.
const codesCacheKey = "upi codes"

type savedCode struct {
	ID op.ID `json:"id"`
	upiCode
}

// readCodes parses the stored codes. After an error, which is logged, there are none, and
// they are requested again.
func readCodes(b []byte) ([]savedCode, error) {
	if len(b) == 0 {
		return nil, nil
	}
	var all []savedCode
	if len(b) > maxSavedCodesBytes || json.Unmarshal(b, &all) != nil || len(all) > maxSavedCodes {
		return nil, errors.New("the stored UPI codes are malformed")
	}
	for _, c := range all {
		read, err := readLink(c.Link)
		if err == nil && (read.Amount != c.Amount || read.VPA != c.VPA) {
			err = errWrongCode
		}
		if err != nil {
			return nil, fmt.Errorf("the kept UPI code of %s: %w", c.ID, err)
		}
	}
	return all, nil
}

// saveCode stores a code until newer ones replace it.
func (s *Pages) saveCode(id op.ID, c upiCode) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.findCode(id); ok {
		return nil
	}
	all := append(slices.Clone(s.codes), savedCode{id, c})
	all = all[max(0, len(all)-maxSavedCodes):]
	b, err := json.Marshal(all, json.Deterministic(true))
	if err != nil {
		return err
	}
	if err := s.cache.PutCache(codesCacheKey, b, s.counter.Status().Now); err != nil {
		return err
	}
	s.codes = all
	return nil
}

func (s *Pages) savedCode(id op.ID) (upiCode, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.findCode(id)
}

// findCode needs mu held.
func (s *Pages) findCode(id op.ID) (upiCode, bool) {
	i := slices.IndexFunc(s.codes, func(c savedCode) bool { return c.ID == id })
	if i < 0 {
		return upiCode{}, false
	}
	return s.codes[i].upiCode, true
}

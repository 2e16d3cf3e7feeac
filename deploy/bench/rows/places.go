package rows

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Digits is how many bytes at the end of each text that names a withdrawal are replaced by
// the digits of a number.
const Digits = 10

// Place is where a number stands in a text.
type Place struct {
	At     int  // of the first of Digits bytes
	Random bool // in reality these bytes are random: the number is written scrambled
}

// Places are where numbers stand in a text, in order: in each of the fresh texts in it, the
// last Digits bytes.
func Places(s string, fresh []string) []Place {
	var all []Place
	for _, f := range fresh {
		for from := 0; ; {
			at := strings.Index(s[from:], f)
			if at < 0 {
				break
			}
			from += at + len(f)
			all = append(all, Place{from - Digits, isRandom(f)})
		}
	}
	slices.SortFunc(all, func(a, b Place) int { return cmp.Compare(a.At, b.At) })
	return slices.Compact(all)
}

// isRandom tells whether the end of a text is drawn anew for each withdrawal, so that its
// rows are spread over an index. It is not if it counts, or if the text's beginning
// grows with time, as a UUID of version 7 does.
func isRandom(f string) bool {
	const version = 14 // where a UUID has it
	grows := len(f) == 36 && f[8] == '-' && f[version] == '7'
	return !grows && strings.Trim(f[len(f)-Digits:], "0123456789") != ""
}

// The multiplier is coprime to 10, so no two numbers below 10^Digits scramble to one. Its
// product with a number below 10^Digits fits into 64 bits.
const (
	multiplier = 387420489
	modulus    = 10_000_000_000
)

// Scramble spreads numbers below 10^Digits.
func Scramble(n int64) int64 { return n * multiplier % modulus }

// Numbered are the arguments of one numbered withdrawal.
func (s Statement) Numbered(fresh []string, number int64) []any {
	args := make([]any, len(s.Args))
	for i, v := range s.Args {
		args[i] = v.Any()
		switch value := args[i].(type) {
		case string:
			args[i] = string(numbered([]byte(value), fresh, number))
		case []byte:
			args[i] = numbered(slices.Clone(value), fresh, number)
		}
	}
	return args
}

func numbered(b []byte, fresh []string, number int64) []byte {
	for _, place := range Places(string(b), fresh) {
		n := number
		if place.Random {
			n = Scramble(number)
		}
		copy(b[place.At:], fmt.Sprintf("%0*d", Digits, n))
	}
	return b
}

// Write writes one commit of so many withdrawals, numbered from first, in the caller's
// transaction.
func (p Plan) Write(ctx context.Context, tx *sql.Tx, commit int, first, count int64) error {
	for _, s := range p.Commits[commit] {
		stmt, err := tx.PrepareContext(ctx, s.SQL)
		if err != nil {
			return fmt.Errorf("%s: %w", s.SQL, err)
		}
		for n := first; n < first+count; n++ {
			if _, err := stmt.ExecContext(ctx, s.Numbered(p.Fresh, n)...); err != nil {
				return errors.Join(fmt.Errorf("%s: %w", s.SQL, err), stmt.Close())
			}
		}
		if err := stmt.Close(); err != nil {
			return err
		}
	}
	return nil
}

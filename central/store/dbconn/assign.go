package dbconn

import (
	"bytes"
	"fmt"
	"reflect"
	"time"
)

// AssignAll stores the values of a row in the variables to which dest points (Assign).
func AssignAll[T any](dest []any, values []T) error {
	if len(dest) != len(values) {
		return fmt.Errorf("a row of %d columns is read into %d variables", len(values), len(dest))
	}
	for i, to := range dest {
		if err := Assign(to, values[i]); err != nil {
			return fmt.Errorf("column %d: %w", i+1, err)
		}
	}
	return nil
}

// Assign stores a column's value, as a driver gives it, in the variable to which to points: a
// text, a number, a boolean (0 or 1), a time (milliseconds since 1970), bytes or a digest,
// also of a named type. NULL is an empty text, the zero time or no bytes. Any other
// combination is an error.
func Assign(to, value any) error {
	switch to := to.(type) {
	case *string:
		switch v := value.(type) {
		case string:
			*to = v
			return nil
		case nil:
			*to = ""
			return nil
		}
	case *int64:
		if v, ok := value.(int64); ok {
			*to = v
			return nil
		}
	case *int:
		if v, ok := value.(int64); ok {
			*to = int(v)
			return nil
		}
	case *bool:
		if v, ok := value.(int64); ok {
			*to = v != 0
			return nil
		}
	case *time.Time:
		switch v := value.(type) {
		case int64:
			*to = time.UnixMilli(v).UTC()
			return nil
		case nil:
			*to = time.Time{}
			return nil
		}
	case *[32]byte:
		if v, ok := value.([]byte); ok && len(v) == len(to) {
			copy(to[:], v)
			return nil
		}
	case *[]byte:
		switch v := value.(type) {
		case []byte:
			*to = v
			return nil
		case nil:
			*to = nil
			return nil
		}
	default:
		return assignNamed(reflect.ValueOf(to).Elem(), value)
	}
	return mismatch(reflect.TypeOf(to).Elem(), value)
}

// assignNamed is Assign for a variable of a named type, or for a pointer, which NULL makes nil.
func assignNamed(to reflect.Value, value any) error {
	if to.Kind() == reflect.Pointer && value != nil {
		to.Set(reflect.New(to.Type().Elem()))
		return Assign(to.Interface(), value)
	}
	switch v := value.(type) {
	case nil:
		if to.Kind() == reflect.String || to.Kind() == reflect.Pointer || to.Kind() == reflect.Slice {
			to.SetZero()
			return nil
		}
	case string:
		if to.Kind() == reflect.String {
			to.SetString(v)
			return nil
		}
	case int64:
		switch {
		case to.CanInt() && !to.OverflowInt(v):
			to.SetInt(v)
			return nil
		case to.Kind() == reflect.Bool:
			to.SetBool(v != 0)
			return nil
		}
	case []byte:
		switch {
		case to.Kind() == reflect.Slice && to.Type().Elem().Kind() == reflect.Uint8:
			to.SetBytes(v)
			return nil
		case to.Kind() == reflect.Array && to.Type().Elem().Kind() == reflect.Uint8 && len(v) == to.Len():
			reflect.Copy(to, reflect.ValueOf(v))
			return nil
		}
	}
	return mismatch(to.Type(), value)
}

// Scanners are variables as a driver of package database/sql scans them, with the values of
// Assign.
func Scanners(dest []any) []any {
	list := make([]any, len(dest))
	named := make([]scanner, len(dest))
	for i, to := range dest {
		switch to.(type) {
		case *int64, *int, *[]byte: // every driver knows them
			list[i] = to
		default:
			named[i].to = to
			list[i] = &named[i]
		}
	}
	return list
}

type scanner struct{ to any }

// Scan implements sql.Scanner. The driver may use the bytes again.
func (s *scanner) Scan(value any) error {
	if b, ok := value.([]byte); ok {
		value = bytes.Clone(b)
	}
	return Assign(s.to, value)
}

func mismatch(to reflect.Type, value any) error {
	return fmt.Errorf("a %s is stored as %T", to, value)
}

package books

import (
	"fmt"

	"galla/shared/money"
	"galla/shared/secret"
)

// Customer is somebody who banks here.
type Customer struct {
	Aadhaar secret.Aadhaar
	Name    string
	Bank    string // as messages call it
	IIN     string
	Mobile  string // ten digits
	Opening money.Paise
}

// Residents are the customers of the sandbox (sandbox.md): UIDAI's
// public demo numbers, with their balances at the first start.
func Residents() ([]Customer, error) {
	list := []struct {
		aadhaar, name, bank, iin, mobile string
		opening                          money.Paise
	}{
		{"999941057058", "Shivshankar Choudhury", "Sandbox Test Bank", "990326", "9000000001", 25_000_00},
		{"999971658847", "Kumar Agarwal", "State Bank of India", "607094", "9000000002", 80_000_00},
		{"999933119405", "Fatima Bedi", "Bank of Baroda", "606985", "9000000003", 4_200_50},
		{"999955183433", "Rohit Pandey", "Punjab National Bank", "607027", "9000000004", 150_00},
		{"999990501894", "Anisha Jay Kapoor", "India Post Payments Bank", "608314", "9000000005", 12_345_67},
	}
	var out []Customer
	for _, r := range list {
		a, err := secret.ParseAadhaar(r.aadhaar)
		if err != nil {
			return nil, fmt.Errorf("resident %s: %w", r.name, err)
		}
		out = append(out, Customer{Aadhaar: a, Name: r.name, Bank: r.bank, IIN: r.iin, Mobile: r.mobile, Opening: r.opening})
	}
	return out, nil
}

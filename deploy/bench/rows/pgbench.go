package rows

import (
	"encoding/hex"
	"fmt"
	"strings"
	"unicode/utf8"
)

// clients is above the number of pgbench's clients.
const clients = 1000

// Script writes the plan as a script of pgbench for its prepared mode: each commit is one
// pipeline. The variables n and base are set on its command line: n, from 0, counts the
// withdrawals of a client, and base is above all numbers that were used before.
func (p Plan) Script() string {
	var b strings.Builder
	fmt.Fprintf(&b, "\\set n :n + 1\n\\set number :base + :n * %d + :client_id\n", clients)
	fmt.Fprintf(&b, "\\set scrambled :number * %d %% %d\n", multiplier, int64(modulus))
	for _, commit := range p.Commits {
		b.WriteString("\\startpipeline\nBEGIN;\n")
		for _, s := range commit {
			b.WriteString(p.inline(s) + ";\n")
		}
		b.WriteString("COMMIT;\n\\endpipeline\n")
	}
	return b.String()
}

// Fill gives the statements of a transaction that writes whole withdrawals, numbered from
// first to last, on PostgreSQL. Rows are found by their indexes, however few the server takes
// the table to have.
func (p Plan) Fill(first, last int64) []string {
	from := fmt.Sprintf(" FROM generate_series(%d::bigint, %d) AS g (number)", first, last)
	number := strings.NewReplacer(":number", "g.number", ":scrambled", fmt.Sprintf("(g.number * %d %% %d)", multiplier, int64(modulus)))
	all := []string{"SET LOCAL enable_seqscan = off", "SET LOCAL enable_hashjoin = off", "SET LOCAL enable_mergejoin = off"}
	for _, commit := range p.Commits {
		for _, s := range commit {
			text := number.Replace(p.inline(s))
			if head, values, isInsert := strings.Cut(text, " VALUES ("); isInsert {
				text = head + " SELECT " + strings.TrimSuffix(values, ")") + from
			} else {
				text = strings.Replace(text, " WHERE ", from+" WHERE ", 1)
			}
			all = append(all, text)
		}
	}
	return all
}

// inline puts the arguments into a statement.
func (p Plan) inline(s Statement) string {
	var b strings.Builder
	rest := s.SQL
	for i, v := range s.Args {
		before, after, _ := strings.Cut(rest, PostgreSQL.place(i+1))
		b.WriteString(before + p.literal(v))
		rest = after
	}
	return b.String() + rest
}

// literal writes a value. pgbench takes every :name in a script for a variable, so colons are
// written by their code.
func (p Plan) literal(v Value) string {
	switch {
	case v.Int != nil:
		return fmt.Sprint(*v.Int)
	case v.Float != nil:
		return fmt.Sprint(*v.Float)
	case v.Text != nil:
		return p.text(*v.Text)
	case v.Bytes && p.names(string(v.Blob)) && utf8.Valid(v.Blob):
		return "convert_to(" + p.text(string(v.Blob)) + ", 'UTF8')"
	case v.Bytes:
		return `'\x` + hex.EncodeToString(v.Blob) + `'`
	}
	return "NULL"
}

// names tells whether a text names the withdrawal.
func (p Plan) names(s string) bool { return len(Places(s, p.Fresh)) > 0 }

func (p Plan) text(s string) string {
	var parts []string
	from := 0
	for _, place := range Places(s, p.Fresh) {
		number := "number"
		if place.Random {
			number = "scrambled"
		}
		parts = append(parts, quote(s[from:place.At]), fmt.Sprintf("lpad(:%s::text, %d, '0')", number, Digits))
		from = place.At + Digits
	}
	return "(" + strings.Join(append(parts, quote(s[from:])), " || ") + ")"
}

func quote(s string) string {
	s = strings.NewReplacer(`\`, `\\`, `'`, `''`, `:`, `\003A`).Replace(s)
	return "U&'" + s + "'"
}

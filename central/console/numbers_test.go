package console

import (
	"database/sql"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	_ "github.com/mattn/go-sqlite3"

	"galla/shared/ist"
)

// TestNumbersInTheWrongField: a customer's number that is typed into any field, or is
// a file's name, gets into no column.
func TestNumbersInTheWrongField(t *testing.T) {
	h := newHarness(t)
	h.seed(t)
	const number = "9999 4105 7058"
	plain := strings.ReplaceAll(number, " ", "")
	asha, ravi := h.browser(t).enter("asha"), h.browser(t).enter("ravi")
	at := "/console/operations/" + string(h.operation(t, 1, 8*24*time.Hour, "stuck").ID)
	name := strings.TrimSuffix(ravi.post(at+"/case", http.StatusSeeOther, "reason", "the bank does not answer"), "?done=opened")
	ravi.get(name, http.StatusOK)
	ravi.sends(name+"/propose", http.StatusUnprocessableEntity, "document", "letter of "+number+".txt", "a letter", "verdict", "failed", "reason", "of "+plain)
	ravi.get(name, http.StatusOK)
	ravi.sends(name+"/propose", http.StatusUnprocessableEntity, "document", plain+".txt", "another letter", "verdict", plain, "reason", "fine")
	day := time.Now().Add(-48 * time.Hour).In(ist.Zone()).Format(time.DateOnly)
	ravi.get("/console/reconciliation", http.StatusOK)
	ravi.sends("/console/reconciliation", http.StatusSeeOther, "file", "day-"+plain+".csv", "reference,rrn,stan,amount,code,time\nEND,"+day+",0,0.00,,\n")
	for _, rt := range h.console.routes {
		method, path, _ := strings.Cut(rt.pattern, " ")
		if method != http.MethodPost || rt.upload || strings.Contains(path, "sign-out") {
			continue
		}
		for _, typed := range []string{number, plain} {
			r := asha.form(parameter.ReplaceAllString(path, plain), "login", typed, "name", typed, "role", typed, "reason", typed, "setup", typed,
				"last4", typed, "mobile", typed, "merchant", typed, "seen", typed, "code", typed, "confirmed", "yes")
			asha.do(r)
			asha.get("/console/me", http.StatusOK)
		}
	}
	asha.get("/console/audit.csv?about="+plain+"&person="+plain, http.StatusOK)
	asha.get("/console/documents/"+plain, http.StatusNotFound)

	raw, err := sql.Open("sqlite3", "file:"+h.place+"?mode=ro")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = raw.Close() }()
	for _, found := range columnsWith(t, raw, number, plain) {
		t.Error(found)
	}
	if text := h.log.String(); strings.Contains(text, number) || strings.Contains(text, plain) {
		t.Errorf("the log has the number:\n%s", text)
	}
}

// columnsWith names the columns of a database that contain one of the texts.
func columnsWith(t testing.TB, db *sql.DB, texts ...string) (found []string) {
	t.Helper()
	rows, err := db.Query(`SELECT m.name, p.name FROM sqlite_master m, pragma_table_info(m.name) p WHERE m.type = 'table'`)
	if err != nil {
		t.Fatal(err)
	}
	var columns [][2]string
	for rows.Next() {
		var c [2]string
		if err := rows.Scan(&c[0], &c[1]); err != nil {
			t.Fatal(err)
		}
		columns = append(columns, c)
	}
	if err := rows.Err(); err != nil || len(columns) < 100 {
		t.Fatalf("%d columns, %v", len(columns), err)
	}
	for _, c := range columns {
		for _, text := range texts {
			var n int
			if err := db.QueryRow(fmt.Sprintf(`SELECT count(*) FROM %q WHERE instr(CAST(%q AS TEXT), ?) > 0`, c[0], c[1]), text).Scan(&n); err != nil {
				t.Fatal(err)
			}
			if n > 0 {
				found = append(found, fmt.Sprintf("column %s.%s has the number %d times", c[0], c[1], n))
			}
		}
	}
	return found
}

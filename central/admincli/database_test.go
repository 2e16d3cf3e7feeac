package admincli

import (
	"strings"
	"testing"
)

func TestDatabaseURL(t *testing.T) {
	const canary = "Saffron%21Canary"
	for _, c := range []struct {
		flag, environment, want, wrong string
	}{
		{},
		{environment: "postgres://galla:" + canary + "@db:5432/galla", want: "postgres://galla:" + canary + "@db:5432/galla"},
		{flag: "postgres://galla@db/galla", environment: "postgres://other@db/galla", want: "postgres://galla@db/galla"},
		{flag: "postgres://galla@a:5432,b:5432/galla?target_session_attrs=read-write", want: "postgres://galla@a:5432,b:5432/galla?target_session_attrs=read-write"},
		{flag: "host=db dbname=galla", want: "host=db dbname=galla"},
		{flag: "postgres://galla:" + canary + "@db/galla", wrong: "GALLA_DATABASE_URL"},
		{flag: "postgres://galla:" + canary + "@a:5432,b:5432/galla", wrong: "GALLA_DATABASE_URL"},
		{flag: "postgres://galla@db/galla?password=" + canary, wrong: "GALLA_DATABASE_URL"},
		{flag: "host=db PASSWORD=" + canary, wrong: "GALLA_DATABASE_URL"},
		{environment: "mysql://galla:" + canary + "@db/galla", wrong: "postgres://"},
		{environment: canary, wrong: "postgres://"},
	} {
		got, err := ParseDatabaseURL(c.flag, c.environment)
		switch {
		case c.wrong != "" && (err == nil || !strings.Contains(err.Error(), c.wrong) || strings.Contains(err.Error(), canary)):
			t.Errorf("%q, %q: error %v; want it to name %s and to quote nothing", c.flag, c.environment, err, c.wrong)
		case c.wrong == "" && (err != nil || got.Reveal() != c.want):
			t.Errorf("%q, %q: %v, want %q", c.flag, c.environment, err, c.want)
		}
	}
}

package store

import (
	"testing"

	"galla/central"
	"galla/central/staff"
)

// TestStaffViews saves, replaces and deletes members' views.
func TestStaffViews(t *testing.T) { onBoth(t, staffViews) }

func staffViews(t *testing.T, on kind) {
	s := on.open(t, testConfig())
	for _, login := range []string{"asha", "ravi"} {
		working(t, s, login, staff.Viewer)
	}
	save := func(login, name, query string) error {
		return s.SaveStaffView(background, login, staff.View{Name: name, Query: query}, t0, 2)
	}
	wantErr(t, "save", save("asha", "stuck", "state=stuck"), nil)
	wantErr(t, "save another", save("asha", "Failed", "state=failed"), nil)
	wantErr(t, "save one more", save("asha", "more", ""), staff.ErrViews)
	wantErr(t, "replace", save("asha", "stuck", "state=open"), nil)
	wantErr(t, "save of another", save("ravi", "stuck", ""), nil)
	wantErr(t, "save of nobody", save("nobody", "stuck", ""), central.ErrNotFound)
	wantErr(t, "delete of another", s.DeleteStaffView(background, "ravi", "Failed"), central.ErrNotFound)
	list, err := s.StaffViews(background, "asha")
	wantErr(t, "list", err, nil)
	wantSame(t, "views", list, []staff.View{{Name: "Failed", Query: "state=failed"}, {Name: "stuck", Query: "state=open"}})
	wantErr(t, "delete", s.DeleteStaffView(background, "asha", "stuck"), nil)
	list, err = s.StaffViews(background, "asha")
	wantErr(t, "list", err, nil)
	wantSame(t, "views", list, []staff.View{{Name: "Failed", Query: "state=failed"}})
}

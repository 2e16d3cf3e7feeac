package web

import (
	"net/http"

	"galla/shared/op"
)

// maxBegun bounds the forms that a session remembers, against double
// submission; older ones can only be sent again by hand.
const maxBegun = 64

// Once runs begin for a form that is sent for the first time in this session,
// and gives what it began; for the same form sent again it gives the same
// operation and runs nothing. A form is the same only if every field is: who
// goes back and changes the amount means another operation. After an error of
// begin nothing is remembered. The form holds the piece "once", so that the
// same fields on a page opened anew are another form.
func (k *Kit) Once(ses *Session, r *http.Request, begin func() (op.ID, error)) (op.ID, error) {
	return ses.once(k.sessions.seal("form", r.URL.Path+"\x00"+r.PostForm.Encode()), nil, begin)
}

// OneAtATime runs begin unless what it began last under this name in this
// session still goes on, as over tells; then it gives that operation.
func (k *Kit) OneAtATime(ses *Session, name string, over func(op.ID) bool, begin func() (op.ID, error)) (op.ID, error) {
	return ses.once("name\x00"+name, over, begin)
}

// once holds beginning while an operation is begun, so that a double click's
// second half finds what the first began.
func (ses *Session) once(key string, over func(op.ID) bool, begin func() (op.ID, error)) (op.ID, error) {
	ses.beginning.Lock()
	defer ses.beginning.Unlock()
	if id, ok := ses.begun[key]; ok && (over == nil || !over(id)) {
		return id, nil
	}
	id, err := begin()
	if err != nil || id == "" {
		return "", err
	}
	if _, known := ses.begun[key]; !known {
		if len(ses.order) >= maxBegun {
			delete(ses.begun, ses.order[0])
			ses.order = ses.order[1:]
		}
		ses.order = append(ses.order, key)
	}
	ses.begun[key] = id
	return id, nil
}

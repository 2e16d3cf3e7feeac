package ui

import (
	"net/http"

	"galla/shared/op"
)

// maxOnceResults bounds the forms that a session remembers against double submission.
const maxOnceResults = 64

// Once runs begin for a form's first submission in this session and returns the operation;
// for the same form again it returns the same operation without running anything. Two
// submissions are the same if every field is: going back and changing the amount means
// another operation. An error of begin is not remembered. The form holds the piece "once",
// so that a page opened again has another form.
func (k *Kit) Once(ses *Session, r *http.Request, begin func() (op.ID, error)) (op.ID, error) {
	return ses.once(k.sessions.mac("form", r.URL.Path+"\x00"+r.PostForm.Encode()), nil, begin)
}

// OneAtATime runs begin unless the operation that it last created under this name in this
// session is still running (over reports false); then it returns that operation.
func (k *Kit) OneAtATime(ses *Session, name string, over func(op.ID) bool, begin func() (op.ID, error)) (op.ID, error) {
	return ses.once("name\x00"+name, over, begin)
}

// once is locked while an operation is created, so that the second request of a double
// click finds it.
func (ses *Session) once(key string, over func(op.ID) bool, begin func() (op.ID, error)) (op.ID, error) {
	ses.onceMu.Lock()
	defer ses.onceMu.Unlock()
	if id, ok := ses.onceResults.Get(key); ok && (over == nil || !over(id)) {
		return id, nil
	}
	id, err := begin()
	if err != nil || id == "" {
		return "", err
	}
	ses.onceResults.Put(key, id)
	return id, nil
}

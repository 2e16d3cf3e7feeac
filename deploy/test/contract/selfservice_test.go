package contract

import "testing"

// TestVendorsServeThemselves walks a vendor's own routes: a key and a secret more, which are
// ended again, and the callbacks of a merchant.
func TestVendorsServeThemselves(t *testing.T) {
	h := running
	key := h.call(t, v1, "POST", "/vendor/keys", nil).is(201, "00").data()
	if text(t, key, "apiKey") == "" || text(t, key, "key") == "" {
		t.Error("a new key is not shown")
	}
	h.call(t, v1, "GET", "/vendor/keys", nil).is(200, "00").list()
	h.call(t, v1, "POST", "/vendor/keys/"+text(t, key, "id")+"/end", nil).is(200, "00")

	const secrets = "/vendor/clients/vendor-sahyadri/secrets"
	secret := h.call(t, v1, "POST", secrets, nil).is(201, "00").data()
	h.call(t, v1, "GET", "/vendor/clients", nil).is(200, "00").list()
	h.call(t, v1, "POST", secrets+"/"+text(t, secret, "id")+"/end", nil).is(200, "00")
	h.call(t, v1, "GET", "/vendor/me", nil).is(200, "00") // the first secret's tokens are good

	late := h.lateCallback(t)
	h.call(t, v1, "GET", "/vendor/callbacks/"+late, nil).is(200, "00").data()
	eventually(t, "the callback can be sent again, once no attempt is under way", func() bool {
		return h.call(t, v1, "POST", "/vendor/callbacks/"+late+"/resend", nil).http == 200
	})
	h.call(t, v1, "GET", "/vendor/operations", nil).is(200, "00").list()

	const callback = "/vendor/merchants/" + merchant1 + "/callback"
	added := h.call(t, v1, "POST", callback+"/secrets", nil).is(201, "00").data()
	h.call(t, v1, "GET", callback, nil).is(200, "00").data()
	h.call(t, v1, "DELETE", callback+"/secrets/"+text(t, added, "id"), nil).is(200, "00")
	h.call(t, v1, "DELETE", callback, nil).is(200, "00")
}

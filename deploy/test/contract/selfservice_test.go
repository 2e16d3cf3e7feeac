package contract

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

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
	ends := fields{"at": time.Now().Add(time.Hour).UTC().Format(time.RFC3339)}
	h.call(t, v1, "POST", callback+"/secrets/"+text(t, added, "id")+"/end", ends).is(200, "00")
	h.call(t, v1, "POST", callback+"/secrets/"+text(t, added, "id")+"/end", nil).is(200, "00")
	h.call(t, v1, "POST", callback+"/secrets/"+text(t, added, "id")+"/end", nil).is(422, "05")
	h.call(t, v1, "DELETE", callback, nil).is(200, "00")

	h.vendorsEndpoint(t)
}

// vendorsEndpoint lets the vendor's own endpoint get the callback of a merchant that has
// none.
func (h *system) vendorsEndpoint(t *testing.T) {
	t.Helper()
	got := make(chan string, 10)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || r.Header.Get("Webhook-Signature") == "" {
			t.Errorf("a callback %s: %v", r.Header, err)
		}
		got <- string(body)
	}))
	t.Cleanup(receiver.Close)
	const own = "/vendor/callback"
	h.call(t, v1, "PUT", own, fields{"url": receiver.URL}).is(200, "00").data()
	secret := sealed(t, h, newPartner(t, h), "POST", own+"/secrets", fields{}).is(201, "00").data()
	if endpoint := h.call(t, v1, "GET", own, nil).is(200, "00").data(); text(t, endpoint, "url") != receiver.URL {
		t.Errorf("the endpoint is %v", endpoint)
	}
	h.call(t, m1, "POST", "/aeps/withdrawal", h.aeps(t, choudhury, "500.93")).is(200, "00")
	body := <-got
	if !strings.Contains(body, `"merchantId":"`+merchant1+`"`) {
		t.Errorf("the callback is %s", body)
	}
	h.call(t, v1, "POST", own+"/secrets/"+text(t, secret, "id")+"/end", nil).is(200, "00")
	h.call(t, v1, "DELETE", own, nil).is(200, "00")
}

// lateCallback makes an operation of merchant 1 that is pending and then reversed, so that
// the merchant is owed a callback, and returns its id.
func (h *system) lateCallback(t *testing.T) string {
	t.Helper()
	h.call(t, v1, "PUT", "/vendor/merchants/"+merchant1+"/callback", fields{"url": "http://127.0.0.1:9/galla"}).is(200, "00")
	h.call(t, m1, "POST", "/aeps/withdrawal", h.aeps(t, choudhury, "500.93")).is(200, "00")
	var found struct {
		Data []struct{ OperationID string }
	}
	eventually(t, "the merchant is owed a callback", func() bool {
		if err := json.Unmarshal(h.call(t, v1, "GET", "/vendor/callbacks?merchant="+merchant1, nil).is(200, "00").raw, &found); err != nil {
			t.Fatal(err)
		}
		return len(found.Data) > 0
	})
	return found.Data[0].OperationID
}

// Pays the QR code of an order as the sandbox's payer, and waits until the central has
// recorded it.
const get = (name) => pm.variables.get(name);
const send = (request) => new Promise((resolve, reject) =>
  pm.sendRequest(request, (error, reply) => (error ? reject(error) : resolve(reply))));
const json = (body) => ({ mode: "raw", raw: JSON.stringify(body) });

(async () => {
  const paid = await send({ url: get("BANK") + "/control/upi/pay", method: "POST", body: json({ vpa: "gal0000001@galla", order_id: "ORDER", amount: 1 }) });
  if (paid.code !== 200) throw new Error("the payer's bank: HTTP " + paid.code);
  const token = (await send({
    url: get("CENTRAL") + "/oauth/token", method: "POST",
    body: { mode: "urlencoded", urlencoded: [
      { key: "grant_type", value: "client_credentials" }, { key: "client_id", value: "CLIENT" }, { key: "client_secret", value: get("SECRET-CLIENT") }] },
  })).json().access_token;
  for (const until = Date.now() + 60000; Date.now() < until; await new Promise((on) => setTimeout(on, 500))) {
    const list = await send({ url: get("CENTRAL") + "/upi/txn/v1/payments", method: "GET", header: { Authorization: "Bearer " + token } });
    if (list.text().includes('"order_id":"ORDER"')) return;
  }
  throw new Error("the payment was not recorded within a minute");
})();

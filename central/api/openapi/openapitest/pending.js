// Makes a withdrawal that the sandbox's bank reverses after some seconds, and waits until
// its callback was tried once.
const get = (name) => pm.variables.get(name);
const send = (request) => new Promise((resolve, reject) =>
  pm.sendRequest(request, (error, reply) => (error ? reject(error) : resolve(reply))));
const json = (body) => ({ mode: "raw", raw: JSON.stringify(body) });
const token = async (client) => (await send({
  url: get("CENTRAL") + "/oauth/token", method: "POST",
  body: { mode: "urlencoded", urlencoded: [
    { key: "grant_type", value: "client_credentials" }, { key: "client_id", value: client }, { key: "client_secret", value: get("SECRET-" + client) }] },
})).json().access_token;

(async () => {
  await send({ url: get("READER") + "/sim/finger", method: "POST", body: json({ aadhaar: "AADHAAR", finger: "RIGHT_INDEX", quality: 80 }) });
  const captured = await send({
    url: get("READER") + "/rd/capture", method: "CAPTURE",
    body: { mode: "raw", raw: '<PidOptions ver="1.0"><Opts fCount="1" fType="2" iCount="0" pCount="0" format="0" pidVer="2.0" timeout="10000" posh="UNKNOWN" env="P"/></PidOptions>' },
  });
  await send({
    url: get("CENTRAL") + "/aeps/withdrawal", method: "POST",
    header: { Authorization: "Bearer " + (await token("merchant-lakshmi")), "Idempotency-Key": pm.variables.replaceIn("{{$guid}}"), "Content-Type": "application/json" },
    body: json({ AadharNo: "AADHAAR", TxnAmount: 500.93, Latitude: "17.385044", Longitude: "78.486671", CustomerName: "Shivshankar Choudhury", PidData: captured.text() }),
  });
  const vendor = { Authorization: "Bearer " + (await token("vendor-sahyadri")) };
  for (const until = Date.now() + 60000; Date.now() < until; await new Promise((on) => setTimeout(on, 500))) {
    if ((await send({ url: get("CENTRAL") + "/vendor/callbacks", method: "GET", header: vendor })).text().includes('"triedAt"')) return;
  }
  throw new Error("no callback was tried within a minute");
})();

// Runs before each request. It looks for variables of these kinds in the request, and
// sets them: an access token, a fingerprint of the sandbox's reader, the newest one-time
// password of a mobile number, and new identities.
const wanted = {};
const text = JSON.stringify(pm.request.toJSON());
for (const [, kind, of] of text.matchAll(/{{(TOKEN|PID|OTP|KEY|NEW)-([\w-]+)}}/g)) {
  wanted[kind + "-" + of] = [kind, of];
}
const set = (name, value) => pm.collectionVariables.set(name, value);
const get = (name) => pm.variables.get(name);
const send = (request) => new Promise((resolve, reject) =>
  pm.sendRequest(request, (error, reply) => (error ? reject(error) : resolve(reply))));
const json = (body) => ({ mode: "raw", raw: JSON.stringify(body) });

const kinds = {
  // A token is fetched anew a minute before its end.
  async TOKEN(client, name) {
    if (Number(get("UNTIL-" + client) || 0) > Date.now()) return;
    const reply = await send({
      url: get("CENTRAL") + "/oauth/token", method: "POST",
      body: { mode: "urlencoded", urlencoded: [
        { key: "grant_type", value: "client_credentials" }, { key: "client_id", value: client }, { key: "client_secret", value: get("SECRET-" + client) }] },
    });
    if (reply.code !== 200) throw new Error("no access token for " + client + ": HTTP " + reply.code);
    set(name, reply.json().access_token);
    set("UNTIL-" + client, String(Date.now() + (reply.json().expires_in - 60) * 1000));
  },
  // The finger of an Aadhaar number is put on the glass, and captured.
  async PID(aadhaar, name) {
    const placed = await send({ url: get("READER") + "/sim/finger", method: "POST", body: json({ aadhaar, finger: "RIGHT_INDEX", quality: 80 }) });
    if (placed.code !== 200) throw new Error("the reader's glass: HTTP " + placed.code);
    const reply = await send({
      url: get("READER") + "/rd/capture", method: "CAPTURE",
      body: { mode: "raw", raw: '<PidOptions ver="1.0"><Opts fCount="1" fType="2" iCount="0" pCount="0" format="0" pidVer="2.0" timeout="10000" posh="UNKNOWN" env="P"/></PidOptions>' },
    });
    set(name, JSON.stringify(reply.text()).slice(1, -1));
  },
  async OTP(mobile, name) {
    const reply = await send({ url: get("BANK") + "/inbox/" + mobile, method: "GET", header: { Accept: "application/json" } });
    const message = reply.json().find((m) => m.otp);
    if (!message) throw new Error("no one-time password in the inbox of " + mobile);
    set(name, message.otp);
  },
  // An operation's identity: a new one for each request that has the header.
  async KEY(client, name) {
    if (pm.request.headers.has("Idempotency-Key")) set(name, pm.variables.replaceIn("{{$guid}}"));
  },
  async NEW(of, name) {
    const random = Array.from({ length: 32 }, () => String.fromCharCode(Math.floor(Math.random() * 256))).join("");
    set(of, of === "PUBLICKEY" ? btoa(random) : pm.variables.replaceIn("{{$guid}}"));
    set(name, get(of));
  },
};

(async () => {
  for (const name of Object.keys(wanted)) await kinds[wanted[name][0]](wanted[name][1], name);
})();

// The page /docs/try: the form, and what a call looked like on the wire.

import { Caller, command, example, newID, variablesIn } from './calls.js';

const $ = (id) => document.getElementById(id);
const show = (id, shown) => { $(id).hidden = !shown; };
const data = await (await fetch('/docs/try.json', { credentials: 'omit' })).json();
const caller = new Caller(data.sandbox);
const routes = new Map(data.samples.groups.flatMap((g) => g.routes).map((r) => [r.id, r]));
const done = new Set(); // calls that succeeded on this page, by callName
let last = null; // the call that 'Send the same again' repeats

const route = () => routes.get($('route').value);
const callName = (r, entrance) => (r.operation ? entrance + ' ' + r.id : r.id); // an operation belongs to its caller
const door = () => document.querySelector('[name=door]:checked').value;

// client is who calls: a client, a vendor of the gateway, or nobody.
function client() {
  if (door() === 'gateway') {
    const vendor = data.sandbox.vendors.find((v) => v.apiKey === $('client').value);
    return vendor && { ...vendor, role: 'vendor' };
  }
  return clientNamed($('client').value);
}

function clientNamed(id) {
  const found = data.sandbox.clients.find((c) => c.id === id);
  const vendor = data.sandbox.vendors.find((v) => v.client === id);
  return found && { ...found, merchant: vendor?.merchant };
}

function fillRoutes() {
  for (const group of data.samples.groups) {
    const list = document.createElement('optgroup');
    list.label = group.name;
    list.append(...group.routes.map((r) => new Option(r.summary, r.id)));
    $('route').append(list);
  }
  const asked = decodeURIComponent(location.hash.slice(1));
  $('route').value = routes.has(asked) ? asked : 'post_aeps_withdrawal';
}

// chooseRoute shows a route's fields; chooseDoor and chooseClient what depends on them.
function chooseRoute() {
  const r = route();
  const gateway = document.querySelector('[value=gateway]');
  gateway.disabled = !r.gateway;
  if (!r.gateway && gateway.checked) document.querySelector('[value=direct]').checked = true;
  show('finger-row', r.finger);
  show('inbox-row', r.otp);
  if (r.finger) $('finger').value = r.finger;
  if (r.otp) $('inbox').value = r.otp;
  chooseDoor();
}

function chooseDoor() {
  const r = route();
  const sealed = door() === 'gateway';
  const getBySeal = sealed && r.method === 'GET';
  $('door-note').textContent = !r.gateway ? 'This route is not on the gateway.'
    : getBySeal ? 'A sealed GET has a body, which browsers do not send: seal it, and paste the command.' : '';
  show('door-note', $('door-note').textContent);
  const options = sealed ? data.sandbox.vendors.map((v) => new Option(`${v.apiKey} (${v.client})`, v.apiKey))
    : data.sandbox.clients.filter((c) => r.roles.includes(c.role)).map((c) => new Option(`${c.id} (${c.role})`, c.id));
  $('client').replaceChildren(...options);
  if (!sealed && r.as) $('client').value = r.as;
  show('client-row', options.length > 0);
  show('identity-row', r.operation || sealed);
  show('seal', sealed);
  $('send').disabled = getBySeal;
  forget();
  newIdentity();
  chooseClient();
}

function chooseClient() {
  const { path, body } = example(route(), door(), client());
  $('path').value = path;
  $('body').value = body;
  $('body').rows = Math.min(Math.max(body.split('\n').length + 1, 4), 18);
  show('body-row', body !== '');
  showNeeds();
}

function newIdentity() {
  if ($('fresh').checked) $('identity').value = newID();
}

// forget clears what the last call showed.
function forget() {
  last = null;
  $('again').disabled = true;
  show('result', false);
  $('steps').replaceChildren();
  $('status').textContent = '';
}

// showNeeds lists what is filled in, and the calls that come first.
function showNeeds() {
  const r = route();
  const items = variablesIn($('path').value, $('body').value).map((name) => {
    const item = document.createElement('li');
    const code = document.createElement('code');
    code.textContent = '$' + name;
    const [about, value] = meaning(r, name);
    const line = document.createElement('span'); // a line of its own, so that nothing moves when it is known
    line.textContent = value;
    item.append(code, ': ' + about, line);
    return item;
  });
  $('variables').replaceChildren(...items);
  show('variables', items.length > 0);
  $('before').textContent = 'It comes after: ' + allBefore(r).map((b) => b.summary).join('; ') + '.';
  show('before-row', r.after.length > 0);
  $('first').disabled = firstCalls(r).length === 0;
}

// meaning says what stands for a variable, and its value if there is one.
function meaning(r, name) {
  if (name === 'PID') return ['a fingerprint', 'captured by the reader when you send'];
  if (name === 'OTP') return ['the newest one-time password of that number', 'read when you send'];
  if (r.new?.includes(name)) return ['a random value', 'a new one each time'];
  const from = name === 'KEY' ? 'the identity of the last direct operation' : [...routes.values()].filter((o) => name in (o.saves ?? {})).map((o) => `of the reply of '${o.summary}'`)[0];
  return [from ?? 'not known', caller.valuesOf(door()).get(name) ?? 'not there yet'];
}

// allBefore are the calls that a route's example needs, in their order.
function allBefore(r, needed = new Map()) {
  for (const b of r.after.map((id) => routes.get(id)).filter((o) => !needed.has(o.id))) {
    needed.set(b.id, b);
    allBefore(b, needed);
  }
  return [...needed.values()].sort((a, b) => a.step - b.step);
}

// firstCalls are those of them that have not succeeded yet. A one-time password is good for
// one use, so it is requested each time.
function firstCalls(r) {
  const requestsOTP = (b) => r.otp && r.after.includes(b.id) && !b.otp && b.path.toLowerCase().endsWith('otp');
  return allBefore(r).filter((b) => !done.has(callName(b, doorFor(b))) || requestsOTP(b));
}

// doorFor is the chosen entrance, for a call that can take it.
function doorFor(r) {
  return door() === 'gateway' && r.gateway && r.method !== 'GET' ? 'gateway' : 'direct';
}

// runFirst sends them as their examples stand, and shows a line for each.
async function runFirst() {
  const list = firstCalls(route());
  const vendor = client();
  $('steps').replaceChildren();
  let good = 0;
  for (const r of list) {
    const said = document.createElement('li');
    $('steps').append(said);
    try {
      const as = doorFor(r) === 'gateway' ? vendor : r.as && clientNamed(r.as);
      const reply = await sendCall(await fillCall(r, doorFor(r), as, example(r, doorFor(r), as), { finger: r.finger, inbox: r.otp, identity: newID() }));
      if (reply.good) good++;
      said.textContent = `${r.summary}: HTTP ${reply.status} ${reply.json?.statusCode ?? ''} ${reply.json?.message ?? ''}`;
    } catch (error) {
      said.textContent = `${r.summary}: ${error.message}`;
    }
  }
  $('status').textContent = `${good} of ${list.length} calls succeeded.`;
  showNeeds();
}

// fillCall fills a call's variables; sendCall seals it where it goes through the gateway,
// sends it and keeps its values.
async function fillCall(r, entrance, as, text, { finger, inbox, identity }) {
  const call = { route: r, door: entrance, client: as, identity: r.operation || entrance === 'gateway' ? identity : '' };
  return { ...call, ...(await caller.fill({ ...call, ...text, finger, inbox })) };
}

const requestOf = (call) => (call.door === 'gateway' ? caller.seal(call) : caller.direct(call));

async function sendCall(call) {
  const request = await requestOf(call);
  const reply = await caller.send(request);
  reply.good = caller.keep(call, reply);
  if (reply.good) done.add(callName(call.route, call.door));
  return { ...reply, request };
}

// ofForm fills what the form holds.
function ofForm() {
  newIdentity();
  return fillCall(route(), door(), client(), { path: $('path').value.trim(), body: $('body').value },
    { finger: $('finger').value, inbox: $('inbox').value.trim(), identity: $('identity').value.trim() });
}

// send sends, and shows all of it.
async function send(again) {
  if (!again) last = await ofForm();
  const reply = await sendCall(last);
  showRequest(reply.request, true);
  showReply(reply);
  $('again').disabled = false;
  showNeeds();
}

async function sealOnly() {
  last = await ofForm();
  showRequest(await requestOf(last), false);
  show('opened', false);
  show('reply-part', false);
  show('result', true);
  $('status').textContent = 'Sealed, and not sent: paste the command within five minutes.';
}

// payPage is where the sandbox's phone pays the QR code of a reply; empty: it has none.
function payPage(reply) {
  const link = reply.json?.data?.upiLink;
  return typeof link === 'string' && link.startsWith('upi://pay?') ? `${data.sandbox.bank}/phone?upiLink=${encodeURIComponent(link)}` : '';
}

const lines = (headers) => headers.map(([name, value]) => `${name}: ${value}`).join('\n');

function pretty(text) {
  try {
    JSON.parse(text);
  } catch {
    return text;
  }
  return indent(text);
}

// indent breaks JSON into lines and keeps its numbers as they are written: 500.00 is no 500.
function indent(text) {
  let out = '';
  let depth = 0;
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g) ?? [];
  tokens.forEach((token, i) => {
    const newLine = () => { out += '\n' + '  '.repeat(depth); };
    const empty = ['}', ']'].includes(tokens[i + 1]);
    if (token === '}' || token === ']') {
      depth--;
      if (!['{', '['].includes(tokens[i - 1])) newLine();
    }
    out += token;
    if (token === ':') out += ' ';
    if (token === ',') newLine();
    if ((token === '{' || token === '[') && ++depth && !empty) newLine();
  });
  return out;
}

function showRequest(request, sent) {
  $('request').textContent = `${request.method} ${request.path}\n${lines(Object.entries(request.headers))}` + (request.body ? `\n\n${request.body}` : '');
  $('command').textContent = command(request);
  $('command-note').textContent = !request.signed ? (last.identity ? 'An operation has run under this identity: the command gets the same reply, and nothing runs twice.' : '')
    : sent ? 'The gateway takes a message once, and has had this one: the command is answered 401. Seal without sending to get one that it takes.'
      : 'The gateway takes this message once, within five minutes.';
  show('envelope', Boolean(request.signed));
  $('plain').textContent = request.plain ?? '';
  $('signed').textContent = request.signed ?? '';
}

function showReply(reply) {
  const sealed = reply.opened !== undefined || reply.forged;
  $('sealed-reply').textContent = `HTTP ${reply.status}\n${lines(reply.headers)}\n\n${reply.text}`;
  $('verdict').textContent = reply.forged ? `Not genuine, so not opened: ${reply.forged}.` : 'The checksum is right, and the reply belongs to this request. Opened, it is below.';
  show('opened', Boolean(sealed));
  $('reply').textContent = reply.opened !== undefined ? pretty(reply.opened) : `HTTP ${reply.status}\n${lines(reply.headers)}\n\n${pretty(reply.text)}`;
  const pay = payPage(reply);
  $('pay').href = pay;
  show('pay-row', pay !== '');
  show('reply-part', !reply.forged);
  show('result', true);
  $('status').textContent = `HTTP ${reply.status}${reply.json?.statusCode ? `, statusCode ${reply.json.statusCode}` : ''}${reply.json?.message ? `: ${reply.json.message}` : ''} (${reply.time} ms)`;
}

async function copyCommand() {
  try {
    await navigator.clipboard.writeText($('command').textContent);
    $('copy').textContent = 'Copied';
  } catch {
    getSelection().selectAllChildren($('command')); // for the keyboard's own copy
    $('copy').textContent = 'Selected: copy it with the keyboard';
  }
}

// busy runs one thing at a time, and shows why it failed.
async function busy(work) {
  if ($('call').ariaBusy === 'true') return;
  $('call').ariaBusy = 'true';
  $('copy').textContent = 'Copy the command';
  $('status').textContent = 'Sending…';
  show('result', false); // now, and all at once later: nothing moves under the reader's eyes
  try {
    await work();
  } catch (error) {
    $('status').textContent = `Not sent: ${error.message}`;
  }
  $('call').ariaBusy = 'false';
}

fillRoutes();
chooseRoute();
$('route').addEventListener('change', () => { history.replaceState(null, '', '#' + $('route').value); chooseRoute(); });
document.querySelectorAll('[name=door]').forEach((e) => e.addEventListener('change', chooseDoor));
$('client').addEventListener('change', chooseClient);
$('path').addEventListener('input', showNeeds);
$('body').addEventListener('input', showNeeds);
$('call').addEventListener('submit', (event) => { event.preventDefault(); busy(() => send(false)); });
$('again').addEventListener('click', () => busy(() => send(true)));
$('seal').addEventListener('click', () => busy(sealOnly));
$('first').addEventListener('click', () => busy(runFirst));
$('copy').addEventListener('click', copyCommand);
show('ready', true);
document.body.dataset.ready = 'yes';

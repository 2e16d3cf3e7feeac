// Opens the page of a link in this document, where the browser can (Navigation API):
// styles, scripts and the event stream stay, and only what the page says is fetched and
// drawn. A form with an Aadhaar number is sent from here, so that the page that refuses it
// takes over the number, and so does a page that is at the form's own address. All else is
// loaded as without this script: other forms, redirects, errors, and pages with other
// files, as after an update of the program.
import { forgetAadhaar, keepAadhaar, keepsAadhaar } from './aadhaar.js';
import { startPage } from './onpage.js';
import { address, arrive, lastTold, refresh } from './live.js';

export function visitInPlace() {
  if (!('navigation' in window)) return;
  remember();
  navigation.addEventListener('navigate', (event) => {
    // What follows a page that waits with an Aadhaar number takes it over.
    const follows = event.navigationType === 'replace' && keepsAadhaar() && event.destination.url === address().href;
    const opens = event.navigationType === 'push' || event.navigationType === 'traverse' || follows;
    if (!opens || !event.canIntercept || event.hashChange || event.downloadRequest !== null || event.formData) return;
    const to = event.destination.getState()?.address ?? event.destination.url;
    event.intercept({ handler: () => visit(to, event.signal), focusReset: 'manual' });
  });
}

// sendInPlace sends forms with an Aadhaar number, each once.
export function sendInPlace() {
  if (!('navigation' in window)) return;
  document.addEventListener('submit', (event) => {
    const form = event.target;
    if (event.defaultPrevented || !form.matches('form:has([data-aadhaar])')) return;
    event.preventDefault();
    if (!form.dataset.sent) send(form);
  });
}

async function send(form) {
  const told = lastTold();
  form.dataset.sent = 'yes';
  form.setAttribute('aria-busy', 'true');
  try {
    const reply = await fetch(form.action, { method: 'POST', body: new URLSearchParams(new FormData(form)) });
    const page = new DOMParser().parseFromString(await reply.text(), 'text/html');
    if (!form.isConnected) return; // another page took its place
    const elsewhere = reply.redirected && reply.url !== address().href;
    if (elsewhere) location.assign(reply.url);
    else if (page.querySelector('main') && kind(page) === kind(document)) {
      keepAadhaar(form);
      take(page, told);
    } else location.replace(address());
  } catch {
    delete form.dataset.sent; // sent again, the same form starts nothing twice
    form.removeAttribute('aria-busy');
    refresh(''); // says that the program does not answer
  }
}

// remember keeps the page's own address for the way back.
function remember() {
  navigation.updateCurrentEntry({ state: { address: address().href } });
}

async function visit(to, signal) {
  const told = lastTold();
  let page = null;
  try {
    const reply = await fetch(to, { signal, cache: 'no-store' });
    const text = await reply.text();
    if (reply.ok && !reply.redirected) page = new DOMParser().parseFromString(text, 'text/html');
  } catch {
    if (!signal.aborted) refresh(''); // says that the program does not answer
    return;
  }
  if (!page || kind(page) !== kind(document)) {
    forgetAadhaar(); // it would be fetched again
    location.replace(to);
    return;
  }
  take(page, told);
}

function take(page, told) {
  replacePage(page);
  startPage();
  arrive(told);
  remember();
}

// kind names what stays when a page takes another's place: its files, and whether it has
// the bars.
function kind(page) {
  const files = [...page.querySelectorAll('head > link, head > script')].map((file) => file.getAttribute('href') ?? file.getAttribute('src'));
  return [...files, page.getElementById('open-cash') !== null].join(' ');
}

function replacePage(page) {
  for (const meta of document.querySelectorAll('head > meta')) {
    meta.content = page.querySelector(`head > meta[name="${meta.name}"]`)?.content ?? meta.content;
  }
  document.documentElement.lang = page.documentElement.lang;
  document.title = page.title;
  const first = page.querySelector('[autofocus]');
  first?.removeAttribute('autofocus'); // it counts once for a document
  document.body.replaceWith(page.body);
  first?.focus({ preventScroll: true });
  document.getElementById('say').textContent = page.title; // a screen reader is not told of a new page otherwise
}

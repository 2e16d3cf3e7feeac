// Keeps the page up to date. Events of the server tell the revision of what the pages
// show; a page of another one fetches its parts and replaces the regions that changed.
// A region is an element with data-live and an id; it contains no input fields.

const lastSent = new WeakMap(); // region → its content as the server last sent it
let source = null;
let refreshing = false;
let shown = ''; // the revision of this page; empty: it may be outdated
let wanted = ''; // the revision of the last event
let force = false;
let retry = 0;
let releaseLock = () => {}; // releases the lock that this tab has or waits for

// address is the page's own. The browser's address of a page that answered a
// form is the form's: loading it again would send the form again.
export function address() {
  return new URL(document.querySelector('meta[name=here]').content, location.href);
}
const reload = () => location.replace(address());
const revisionOf = (page) => page.querySelector('main').dataset.revision;
const regions = () => document.querySelectorAll('[data-live][id]');

export function listen() {
  shown = wanted = revisionOf(document);
  begin();
  document.addEventListener('visibilitychange', followAgain);
  window.addEventListener('pagehide', close);
  window.addEventListener('pageshow', (event) => {
    if (!event.persisted) return;
    // A page from the browser's back-forward cache is outdated.
    if (document.querySelector('form[data-check]')) reload();
    else followAgain();
  });
  follow();
}

// lastTold is the revision of the last event.
export function lastTold() {
  return wanted;
}

// arrive goes on with a page that took the place of another, and was fetched after the
// event of a revision.
export function arrive(told) {
  begin();
  shown = revisionOf(document);
  if (wanted === told) wanted = shown;
  else refresh(wanted);
}

function begin() {
  regions().forEach((region) => lastSent.set(region, region.innerHTML));
  // A page without fields begins at its first sentence.
  if (document.activeElement !== document.body || document.querySelector('[autofocus]')) return;
  document.querySelector('[data-focus]')?.focus({ preventScroll: true });
}

// followAgain follows with a page that nothing told of its changes.
function followAgain() {
  shown = '';
  follow();
}

// follow opens the event stream of a visible tab. A browser opens at most six
// connections to a server, so hidden tabs close theirs, except one, which plays the
// sounds of a minimised browser.
function follow() {
  close();
  const cashBar = document.getElementById('open-cash');
  if (!document.hidden) {
    if (cashBar) holdLock('galla-visible', 'shared', () => {});
    open();
  } else if (cashBar) {
    holdLock('galla-hidden', 'exclusive', open);
  }
}

// holdLock waits for a lock among the tabs of this browser, runs then, and holds it
// until releaseLock.
function holdLock(name, mode, then) {
  const over = new AbortController();
  releaseLock = () => over.abort();
  const held = () => {
    if (over.signal.aborted) return undefined;
    then();
    return new Promise((done) => over.signal.addEventListener('abort', done));
  };
  navigator.locks?.request(name, { mode, signal: over.signal }, held).catch(() => {}); // it was released first
}

// visibleElsewhere reports, for a hidden tab, whether another tab is visible.
export async function visibleElsewhere() {
  if (!document.hidden || !navigator.locks) return false;
  return (await navigator.locks.query()).held.some((lock) => lock.name === 'galla-visible');
}

function open() {
  stop();
  source = new EventSource('/events');
  source.addEventListener('refresh', (event) => refresh(event.data));
  source.addEventListener('locked', locked);
  source.onerror = () => {
    // The stream reconnects by itself; meanwhile look whether the server answers at all,
    // unless the page is only being left: that ends the stream before the page. If the
    // stream was refused, try again later.
    shown = '';
    clearTimeout(retry);
    retry = setTimeout(look, 1000);
  };
}

function look() {
  refresh('');
  if (source.readyState === EventSource.CLOSED) retry = setTimeout(open, 4000);
}

function close() {
  releaseLock();
  releaseLock = () => {};
  stop();
}

function stop() {
  clearTimeout(retry);
  if (source) source.close();
  source = null;
}

// locked opens the unlock page; a page for customers only refreshes.
function locked() {
  if (document.body.matches('[data-customer]')) refresh('');
  else toUnlock();
}

function toUnlock() {
  if (location.pathname === '/unlock') return;
  close();
  location.replace('/unlock?next=' + encodeURIComponent(address().pathname + address().search));
}

// refresh fetches the page's parts unless they have the revision; without one it does in
// any case. What is told meanwhile counts after it.
export async function refresh(revision) {
  if (revision) wanted = revision;
  else force = true;
  if (refreshing) return;
  refreshing = true;
  while (force || wanted !== shown) {
    force = false;
    const asked = wanted;
    const url = address();
    url.searchParams.set('part', 'main');
    if (document.hidden) url.searchParams.set('hidden', '1'); // nobody sees what it shows
    await showReply(fetch(url, { redirect: 'manual', cache: 'no-store' }));
    if (wanted !== asked) continue;
    if (!shown) break; // no reply: the next event counts
    wanted = shown;
  }
  refreshing = false;
}

// showReply shows the reply of a fetch of parts, and returns whether there was one.
export async function showReply(fetching) {
  const page = document.body;
  try {
    const reply = await fetching;
    const text = await reply.text();
    if (document.body !== page) return true; // another page took its place
    if (reply.status === 401) {
      toUnlock();
      return true;
    }
    if (reply.type === 'opaqueredirect') return true; // redirected: what is typed here stays
    const fresh = new DOMParser().parseFromString(text, 'text/html');
    if (!fresh.querySelector('main')) throw new Error('no page of the counter');
    stale(false);
    // Another page answered: this one is outdated, or its token is.
    if ([...regions()].some((region) => !fresh.getElementById(region.id))) reload();
    else replaceRegions(fresh);
    shown = revisionOf(fresh);
    const go = document.querySelector('main [data-go]')?.dataset.go; // nothing is left to do here
    if (go) location.replace(go);
    if (!refreshing && wanted !== shown) refresh(wanted); // a form's answer may be older than the page
    return true;
  } catch {
    if (document.body !== page) return true;
    shown = '';
    stale(true);
    return false;
  }
}

function stale(yes) {
  document.getElementById('stale').hidden = !yes;
}

function replaceRegions(fresh) {
  const [strips, others] = [[], []];
  regions().forEach((region) => (region.closest('.strips') ? strips : others).push(region));
  keepPlace(() => strips.forEach((region) => replaceRegion(region, fresh)));
  others.forEach((region) => replaceRegion(region, fresh));
}

// keepPlace changes the strips, and leaves the page where it stands in the window. On a phone
// a strip takes room only while it says something. Where the page can't be scrolled back
// while somebody types, the room stays.
function keepPlace(change) {
  const main = document.getElementById('main');
  const strips = document.querySelector('.strips');
  if (!main || !strips) return change();
  const before = main.getBoundingClientRect().top;
  const height = strips.offsetHeight;
  strips.style.minHeight = '';
  change();
  const moved = () => main.getBoundingClientRect().top - before;
  if (moved()) window.scrollBy({ top: moved(), behavior: 'instant' });
  if (moved() < 0 && document.activeElement.matches('input, select, textarea')) strips.style.minHeight = height + 'px';
}

function replaceRegion(old, fresh) {
  const now = fresh.getElementById(old.id);
  if (lastSent.get(old) === now.innerHTML) {
    copyAttributes(old, now);
    return;
  }
  lastSent.set(old, now.innerHTML);
  const active = document.activeElement;
  const focused = old.contains(active) ? active.id : null;
  const moved = old.dataset.state !== now.dataset.state;
  const first = now.querySelector('[autofocus]')?.id;
  now.querySelectorAll('[autofocus]').forEach((e) => e.removeAttribute('autofocus')); // it counts for a page that is loaded
  old.replaceChildren(...document.importNode(now, true).childNodes);
  copyAttributes(old, now);
  refocus(old, focused, first, moved && (focused !== null || active === document.body));
  if (moved) announce(old);
}

// copyAttributes updates a region's attributes; its content may be unchanged.
function copyAttributes(old, now) {
  for (const a of now.attributes) {
    if (old.getAttribute(a.name) !== a.value) old.setAttribute(a.name, a.value);
  }
}

// refocus restores the focus, or sets it to the first element of the new state.
// A button that confirms something never gets it.
function refocus(region, focused, first, moved) {
  const same = focused && document.getElementById(focused);
  if (same) same.focus({ preventScroll: true });
  else if (moved) ((first && document.getElementById(first)) ?? region.querySelector('[data-focus]'))?.focus({ preventScroll: true });
}

// announce sets the page's title and screen reader text from the region.
function announce(region) {
  if (!region?.dataset.title) return;
  const name = document.title.split(' · ').pop();
  document.title = region.dataset.title + ' · ' + name;
  document.getElementById('say').textContent = region.dataset.say;
}

// Keeps the page up to date. On an event of the server, which has no content, the
// page fetches its parts and replaces the regions that changed. A region is an
// element with data-live and an id; it contains no input fields.

const lastSent = new WeakMap(); // region → its content as the server last sent it
let source = null;
let refreshing = false;
let again = false;
let retry = 0;
let releaseLock = () => {}; // releases the lock that this tab has or waits for

// here is the page's own address. The browser's address of a page that answered a
// form is the form's: loading it again would send the form again.
const here = () => new URL(document.querySelector('meta[name=here]').content, location.href);
const reload = () => location.replace(here());
const regions = () => document.querySelectorAll('[data-live][id]');

export function listen() {
  regions().forEach((region) => lastSent.set(region, region.innerHTML));
  // A page without fields begins at its first sentence.
  if (!document.querySelector('[autofocus]')) document.querySelector('[data-focus]')?.focus({ preventScroll: true });
  document.addEventListener('visibilitychange', follow);
  window.addEventListener('pagehide', close);
  window.addEventListener('pageshow', (event) => {
    if (!event.persisted) return;
    // A page from the browser's back-forward cache is outdated.
    if (document.querySelector('form[data-check]')) reload();
    else follow();
  });
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
  source.addEventListener('refresh', refresh);
  source.addEventListener('locked', locked);
  source.onerror = () => {
    // The stream reconnects by itself; meanwhile check whether the server answers
    // at all. If the stream was refused, try again later.
    refresh();
    if (source && source.readyState === EventSource.CLOSED) retry = setTimeout(open, 5000);
  };
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
  if (document.body.matches('[data-customer]')) refresh();
  else toUnlock();
}

function toUnlock() {
  if (location.pathname === '/unlock') return;
  close();
  location.replace('/unlock?next=' + encodeURIComponent(here().pathname + here().search));
}

// refresh fetches the page's parts; events meanwhile cause one more refresh.
async function refresh() {
  if (refreshing) {
    again = true;
    return;
  }
  refreshing = true;
  do {
    again = false;
    const url = here();
    url.searchParams.set('part', 'main');
    await showReply(fetch(url, { redirect: 'manual', cache: 'no-store' }));
  } while (again);
  refreshing = false;
}

// showReply shows the reply of a fetch of parts, and returns whether there was one.
export async function showReply(fetching) {
  try {
    const reply = await fetching;
    if (reply.status === 401) {
      toUnlock();
      return true;
    }
    if (reply.type === 'opaqueredirect') return true; // redirected: what is typed here stays
    const fresh = new DOMParser().parseFromString(await reply.text(), 'text/html');
    if (!fresh.querySelector('main')) throw new Error('no page of the counter');
    stale(false);
    // Another page answered: this one is outdated, or its token is.
    if ([...regions()].some((region) => !fresh.getElementById(region.id))) reload();
    else replaceRegions(fresh);
    return true;
  } catch {
    stale(true);
    return false;
  }
}

function stale(yes) {
  document.getElementById('stale').hidden = !yes;
}

function replaceRegions(fresh) {
  regions().forEach((old) => {
    const now = fresh.getElementById(old.id);
    if (lastSent.get(old) === now.innerHTML) {
      copyAttributes(old, now);
      return;
    }
    lastSent.set(old, now.innerHTML);
    const active = document.activeElement;
    const focused = old.contains(active) ? active.id : null;
    const moved = old.dataset.state !== now.dataset.state;
    old.replaceChildren(...document.importNode(now, true).childNodes);
    copyAttributes(old, now);
    refocus(old, focused, moved && (focused !== null || active === document.body));
    if (moved) announce(old);
  });
}

// copyAttributes updates a region's attributes; its content may be unchanged.
function copyAttributes(old, now) {
  for (const a of now.attributes) {
    if (old.getAttribute(a.name) !== a.value) old.setAttribute(a.name, a.value);
  }
}

// refocus restores the focus, or sets it to the first element of the new state.
// A button that confirms something never gets it.
function refocus(region, focused, moved) {
  const same = focused && document.getElementById(focused);
  if (same) same.focus({ preventScroll: true });
  else if (moved) (region.querySelector('[autofocus]') ?? region.querySelector('[data-focus]'))?.focus({ preventScroll: true });
}

// announce sets the page's title and screen reader text from the region.
function announce(region) {
  if (!region?.dataset.title) return;
  const name = document.title.split(' · ').pop();
  document.title = region.dataset.title + ' · ' + name;
  document.getElementById('say').textContent = region.dataset.say;
}

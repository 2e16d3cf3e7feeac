// Keeps the page true. The server rings (an event without content), the page
// fetches its parts and swaps those that changed. A region that is swapped is
// an element with data-live and an id; what is typed never stands in one.

const known = new WeakMap(); // region → its content as the server last sent it
let source = null;
let looking = false;
let again = false;
let retry = 0;
let letGo = () => {}; // gives back the lock that this tab has or waits for

// here is the page's own address. That of a page which a form's step answered is
// the step's in the browser: to ask for it, or to reload it, would be to send the
// form again.
const here = () => new URL(document.querySelector('meta[name=here]').content, location.href);
const reload = () => location.replace(here());
const regions = () => document.querySelectorAll('[data-live][id]');

export function listen() {
  regions().forEach((region) => known.set(region, region.innerHTML));
  // A page that asks for nothing begins at what it says.
  if (!document.querySelector('[autofocus]')) document.querySelector('[data-focus]')?.focus({ preventScroll: true });
  document.addEventListener('visibilitychange', follow);
  window.addEventListener('pagehide', close);
  window.addEventListener('pageshow', (event) => {
    if (!event.persisted) return;
    // A page that comes back from the browser's memory is old.
    if (document.querySelector('form[data-check]')) reload();
    else follow();
  });
  follow();
}

// follow opens the stream of a tab that somebody sees. A browser opens six
// connections to a server at most: tabs that nobody sees give theirs back, but for
// one of them, by which a minimised browser sounds for open cash.
function follow() {
  close();
  const sounds = document.getElementById('open-cash');
  if (!document.hidden) {
    if (sounds) hold('galla-seen', 'shared', () => {});
    open();
  } else if (sounds) {
    hold('galla-unseen', 'exclusive', open);
  }
}

// hold waits for a lock among the tabs of this browser, and has it until letGo.
function hold(name, mode, then) {
  const over = new AbortController();
  letGo = () => over.abort();
  const had = () => {
    if (over.signal.aborted) return undefined;
    then();
    return new Promise((done) => over.signal.addEventListener('abort', done));
  };
  navigator.locks?.request(name, { mode, signal: over.signal }, had).catch(() => {}); // it was let go first
}

// seenElsewhere tells of a tab that nobody sees whether another one is seen.
export async function seenElsewhere() {
  if (!document.hidden || !navigator.locks) return false;
  return (await navigator.locks.query()).held.some((lock) => lock.name === 'galla-seen');
}

function open() {
  stop();
  source = new EventSource('/live');
  source.addEventListener('look', look);
  source.addEventListener('locked', locked);
  source.onerror = () => {
    // While it reconnects by itself, look whether the server answers at all;
    // where the stream was refused, try again later.
    look();
    if (source && source.readyState === EventSource.CLOSED) retry = setTimeout(open, 5000);
  };
}

function close() {
  letGo();
  letGo = () => {};
  stop();
}

function stop() {
  clearTimeout(retry);
  if (source) source.close();
  source = null;
}

// locked leads to the PIN, but for a page that faces a customer: that one looks
// what is left to show.
function locked() {
  if (document.body.matches('[data-front]')) look();
  else toUnlock();
}

function toUnlock() {
  if (location.pathname === '/unlock') return;
  close();
  location.replace('/unlock?next=' + encodeURIComponent(here().pathname + here().search));
}

// look fetches the page's parts; rings that come meanwhile are one more look.
export async function look() {
  if (looking) {
    again = true;
    return;
  }
  looking = true;
  do {
    again = false;
    const url = here();
    url.searchParams.set('part', 'main');
    await take(fetch(url, { redirect: 'manual', cache: 'no-store' }));
  } while (again);
  looking = false;
}

// take shows the reply of a fetch of parts, and tells whether there was one.
export async function take(fetching) {
  try {
    const reply = await fetching;
    if (reply.status === 401) {
      toUnlock();
      return true;
    }
    if (reply.type === 'opaqueredirect') return true; // the page moved on; what is typed here stays
    const fresh = new DOMParser().parseFromString(await reply.text(), 'text/html');
    if (!fresh.querySelector('main')) throw new Error('no page of the counter');
    stale(false);
    // Another page answers in this one's place: it is over, or its token is old.
    if ([...regions()].some((region) => !fresh.getElementById(region.id))) reload();
    else swap(fresh);
    return true;
  } catch {
    stale(true);
    return false;
  }
}

function stale(yes) {
  document.getElementById('stale').hidden = !yes;
}

function swap(fresh) {
  regions().forEach((old) => {
    const now = fresh.getElementById(old.id);
    if (known.get(old) === now.innerHTML) {
      rename(old, now);
      return;
    }
    known.set(old, now.innerHTML);
    const active = document.activeElement;
    const held = old.contains(active) ? active.id : null;
    const moved = old.dataset.state !== now.dataset.state;
    old.replaceChildren(...document.importNode(now, true).childNodes);
    rename(old, now);
    refocus(old, held, moved && (held !== null || active === document.body));
    if (moved) settle(old);
  });
}

// rename takes over what a region says of itself; its content may be the same.
function rename(old, now) {
  for (const a of now.attributes) {
    if (old.getAttribute(a.name) !== a.value) old.setAttribute(a.name, a.value);
  }
}

// refocus gives the focus back to what had it, or to what the new state is
// about. A button that confirms something is never given it.
function refocus(region, held, moved) {
  const same = held && document.getElementById(held);
  if (same) same.focus({ preventScroll: true });
  else if (moved) (region.querySelector('[autofocus]') ?? region.querySelector('[data-focus]'))?.focus({ preventScroll: true });
}

// settle makes title and screen reader say what the region says.
function settle(region) {
  if (!region?.dataset.title) return;
  const name = document.title.split(' · ').pop();
  document.title = region.dataset.title + ' · ' + name;
  document.getElementById('say').textContent = region.dataset.say;
}

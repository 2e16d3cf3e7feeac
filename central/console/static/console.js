// Keeps a page up to date, suggests names while somebody types, copies, and puts the cursor
// into the search. Without it every page works, too: it is loaded again by hand.

const every = 5000; // milliseconds between two loads of a live page
const region = document.querySelector('[data-live]');
const told = document.querySelector('[data-told]');

// refresh loads the page again and replaces the live region. What somebody has selected or
// typed into stays.
async function refresh() {
  if (document.hidden || region.contains(document.activeElement?.closest('form')) || isSelected()) return;
  const reply = await fetch(location.href, { headers: { 'Galla-Live': '1' } });
  if (reply.redirected || reply.status === 401) {
    say('Your session has ended. Load the page again.');
    clearInterval(timer);
    return;
  }
  if (!reply.ok) throw new Error(reply.statusText);
  const page = new DOMParser().parseFromString(await reply.text(), 'text/html');
  const fresh = page.querySelector('[data-live]');
  if (!fresh) return;
  if (fresh.innerHTML !== region.innerHTML) {
    const focused = region.contains(document.activeElement) ? document.activeElement.getAttribute('href') : null;
    region.innerHTML = fresh.innerHTML;
    if (focused) [...region.querySelectorAll('a')].find((link) => link.getAttribute('href') === focused)?.focus({ preventScroll: true });
  }
  say('Updated ' + new Date().toLocaleTimeString('en-IN', { timeZone: 'Asia/Kolkata', hour12: false }));
}

function isSelected() {
  const selection = getSelection();
  return selection && !selection.isCollapsed && region.contains(selection.anchorNode);
}

function say(text) {
  if (told) told.textContent = text;
}

let timer = 0;
if (region) {
  const load = () => refresh().catch(() => say('The central does not answer. This page shows what was last read.'));
  timer = setInterval(load, every);
  document.addEventListener('visibilitychange', load);
}

// An input with data-names gets suggestions of that kind of name.
for (const input of document.querySelectorAll('input[data-names]')) {
  let asked = '';
  input.addEventListener('input', async () => {
    const text = input.value.trim();
    if (text.length < 2 || text === asked) return;
    asked = text;
    const query = new URLSearchParams({ of: input.dataset.names, text });
    const reply = await fetch('/console/suggest?' + query).catch(() => null);
    if (!reply?.ok || reply.redirected || asked !== text) return;
    const names = await reply.json();
    input.list.replaceChildren(...names.map((name) => Object.assign(document.createElement('option'), { value: name })));
  });
}

// What is marked can be copied.
if (navigator.clipboard) {
  for (const element of document.querySelectorAll('[data-copy]')) {
    const text = element.textContent;
    if (!text) continue;
    const button = Object.assign(document.createElement('button'), { type: 'button', className: 'second', textContent: 'Copy' });
    button.setAttribute('aria-label', 'Copy ' + element.previousElementSibling.textContent);
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(text);
      button.textContent = 'Copied';
    });
    element.append(button);
  }
}

// The key / leads to the search.
document.addEventListener('keydown', (event) => {
  const search = document.querySelector('form.find [type=search], #text');
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || !search || event.target.closest('input, textarea, select')) return;
  event.preventDefault();
  search.focus();
});

// A button with data-print prints the page.
for (const button of document.querySelectorAll('[data-print]')) {
  button.addEventListener('click', () => print());
}

// How forms are sent: steps of an operation without leaving the page, all others
// once; and what else buttons do.
import { take } from './live.js';

const token = () => document.querySelector('meta[name=csrf]').content;

// submitQuietly sends forms with data-quiet by fetch and shows the page's new
// parts. Without an answer nothing is sent again: the page looks by itself.
export function submitQuietly() {
  document.addEventListener('submit', async (event) => {
    const form = event.target;
    if (!form.matches('form[data-quiet]')) return;
    event.preventDefault();
    if (form.dataset.sent) return;
    form.dataset.sent = 'yes';
    const body = new URLSearchParams(new FormData(form));
    await take(fetch(form.action + '?part=main', { method: 'POST', body, redirect: 'manual' }));
    delete form.dataset.sent;
  });
}

// submitOnce stops the second half of a double click on forms that load a page.
export function submitOnce() {
  document.addEventListener('submit', (event) => {
    const form = event.target;
    if (event.defaultPrevented || !form.matches('form[data-busy]')) return;
    if (form.dataset.sent) event.preventDefault();
    form.dataset.sent = 'yes';
    form.setAttribute('aria-busy', 'true');
    setTimeout(release, 10000); // it was stopped on its way: it may be sent again
  });
  const release = () => document.querySelectorAll('form[data-busy][data-sent]').forEach((form) => {
    delete form.dataset.sent;
    form.removeAttribute('aria-busy');
  });
  window.addEventListener('pageshow', release);
}

// stayAwake tells the server, once a minute at most, that somebody types or
// touches; without it a long form would lock itself.
export function stayAwake() {
  let last = Date.now();
  const touched = () => {
    if (Date.now() - last < 60000) return;
    last = Date.now();
    const body = new URLSearchParams({ csrf: token() });
    fetch('/awake', { method: 'POST', body, redirect: 'manual' }).catch(() => {});
  };
  document.addEventListener('keydown', touched);
  document.addEventListener('pointerdown', touched);
}

export function printButton(button) {
  button.addEventListener('click', () => window.print());
  // Where what is printed is counted, the server is told afterwards. No page
  // learns whether its dialogue was cancelled, so a paper that may be there is
  // counted as one.
  const counts = button.dataset.printed;
  if (!counts) return;
  window.addEventListener('afterprint', () => {
    const body = new URLSearchParams({ csrf: token(), form: String(Date.now()) });
    fetch(counts, { method: 'POST', body, redirect: 'manual' }).catch(() => {});
  });
}

// sendOnChange sends a select's form as soon as another option is chosen. A
// keyboard that walks through the options chooses with Enter or by leaving.
export function sendOnChange(select) {
  const was = select.value;
  let walking = false;
  const send = () => select.value !== was && select.form.requestSubmit();
  select.addEventListener('keydown', (event) => {
    walking = event.key !== 'Enter';
    if (event.key === 'Enter') {
      event.preventDefault();
      send();
    }
  });
  select.addEventListener('pointerdown', () => (walking = false));
  select.addEventListener('change', () => walking || send());
  select.addEventListener('blur', send);
}

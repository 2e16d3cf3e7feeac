// How forms are sent: steps of an operation without leaving the page, all others
// once; and other scripts of buttons.
import { showReply } from './live.js';

const token = () => document.querySelector('meta[name=csrf]').content;

// submitQuietly sends forms with data-quiet by fetch and shows the page's new
// parts. Without an answer nothing is sent again: the page refreshes by itself.
export function submitQuietly() {
  document.addEventListener('submit', async (event) => {
    const form = event.target;
    if (!form.matches('form[data-quiet]')) return;
    event.preventDefault();
    if (form.dataset.sent) return;
    form.dataset.sent = 'yes';
    const body = new URLSearchParams(new FormData(form));
    await showReply(fetch(form.action + '?part=main', { method: 'POST', body, redirect: 'manual' }));
    delete form.dataset.sent;
  });
}

// submitOnce stops the second submission of a double click on forms that load a page.
export function submitOnce() {
  document.addEventListener('submit', (event) => {
    const form = event.target;
    if (event.defaultPrevented || !form.matches('form[data-busy]')) return;
    if (form.dataset.sent) event.preventDefault();
    form.dataset.sent = 'yes';
    form.setAttribute('aria-busy', 'true');
    setTimeout(release, 10000); // the browser stopped loading: it may be sent again
  });
  const release = () => document.querySelectorAll('form[data-busy][data-sent]').forEach((form) => {
    delete form.dataset.sent;
    form.removeAttribute('aria-busy');
  });
  window.addEventListener('pageshow', release);
}

// keepAlive reports activity to the server, at most once a minute; otherwise the
// counter would lock while somebody fills in a long form.
export function keepAlive() {
  let last = Date.now();
  const active = () => {
    if (Date.now() - last < 60000) return;
    last = Date.now();
    const body = new URLSearchParams({ csrf: token() });
    fetch('/keep-alive', { method: 'POST', body, redirect: 'manual' }).catch(() => {});
  };
  document.addEventListener('keydown', active);
  document.addEventListener('pointerdown', active);
}

export function printButton(button) {
  button.addEventListener('click', () => window.print());
  // The server counts some prints. A page can't know whether the dialogue was
  // cancelled, so a possible print counts.
  const counts = button.dataset.printed;
  if (!counts) return;
  window.addEventListener('afterprint', () => {
    if (!button.isConnected) return;
    const body = new URLSearchParams({ csrf: token(), form: String(Date.now()) });
    fetch(counts, { method: 'POST', body, redirect: 'manual' }).catch(() => {});
  });
}

// sendOnChange sends a select's form as soon as another option is chosen. With the
// keyboard, Enter or leaving the select chooses.
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

// Takes the QR of an Aadhaar card, from a scanner that types or from the camera, and
// fills the page's Aadhaar field. What a scanner types reaches no field, no shortcut and
// no form: it goes to the server by POST, which says what to fill in.
import { onPage } from './onpage.js';
import { offerCamera } from './scancamera.js';
import { watchScanner } from './scankeys.js';

const field = () => document.querySelector('main input[name=aadhaar]');

watchScanner(field, send);

onPage(() => {
  const number = field();
  if (!number) return;
  const box = document.createElement('div');
  box.className = 'scan';
  const result = document.createElement('p');
  result.id = 'scan-result';
  result.setAttribute('role', 'status');
  box.append(result);
  number.closest('.field').append(box);
  offerCamera(box, send, (text) => show(result, { title: text, tone: 'bad' }));
});

async function send(text) {
  const page = document.body;
  const csrf = document.querySelector('meta[name=csrf]').content;
  let card = null;
  try {
    const reply = await fetch('/aadhaar-qr', { method: 'POST', body: new URLSearchParams({ csrf, qr: text }), redirect: 'manual', cache: 'no-store' });
    if (reply.type === 'opaqueredirect') return location.reload(); // locked meanwhile
    card = await reply.json();
  } catch {
    document.getElementById('stale').hidden = false; // the program does not answer
  }
  if (!card || document.body !== page || !field()) return;
  if (card.tone === 'bad') forget();
  else fill(card);
  show(document.getElementById('scan-result'), card);
}

// forget makes the field independent of an earlier card.
function forget() {
  delete field().dataset.ends;
  delete field().dataset.differs;
}

function set(input, value) {
  input.focus(); // shows what is masked
  input.value = value;
  input.dispatchEvent(new Event('input', { bubbles: true }));
}

function fill(card) {
  const number = field();
  number.dataset.ends = card.last;
  number.dataset.differs = card.differs;
  const name = number.form.querySelector('input[name=customer]');
  if (name && card.name) set(name, card.name);
  set(number, card.number || number.value);
  if (card.number) next(number)?.focus();
}

// next is the first field after the number that is not filled in.
const next = (number) => [...number.form.querySelectorAll('[data-missing]')].find((other) =>
  (other.type === 'checkbox' ? !other.checked : !other.value) && number.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING);

function show(result, card) {
  result.className = card.tone;
  const title = document.createElement('b');
  title.textContent = card.title;
  result.replaceChildren(title);
  for (const text of [card.detail, card.complete]) if (text) result.append(' ' + text);
  result.parentElement.querySelector('.scan-remove')?.remove();
  if (!card.remove) return;
  const remove = document.createElement('button');
  remove.type = 'button';
  remove.className = 'second scan-remove';
  remove.textContent = card.remove;
  remove.addEventListener('click', () => {
    forget();
    result.replaceChildren();
    result.className = '';
    remove.remove();
    set(field(), '');
  });
  result.after(remove);
}

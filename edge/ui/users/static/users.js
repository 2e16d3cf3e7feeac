// The unlock page: choosing a name focuses the PIN. While a user has to wait after
// wrong PINs, the button counts down for that user only.
import { onPage } from './onpage.js';

function unlockForm(form) {
  const pin = form.querySelector('#pin');
  form.addEventListener('click', (event) => {
    if (event.target.name === 'who' && event.detail > 0) pin.focus(); // not for keyboard selection
  });
  form.addEventListener('keydown', (event) => {
    if (event.target.name === 'who' && /^\d$/.test(event.key)) pin.focus(); // the digit is typed into the PIN
  });
  form.querySelectorAll('button[data-waits]').forEach(countWaits);
}

const clock = (seconds) => Math.floor(seconds / 60) + ':' + String(seconds % 60).padStart(2, '0');

function countWaits(button) {
  const begun = Date.now();
  const waits = JSON.parse(button.dataset.waits); // user id → seconds
  const form = button.form;
  const field = form.querySelector('#pin').closest('.field');
  const note = field.querySelector('.note');
  const label = button.querySelector('span');
  const text = label.textContent;
  let counted = false;
  let timer = 0;

  const say = (words) => {
    field.classList.toggle('bad', words !== '');
    note.querySelector('.said').textContent = words;
  };
  const tick = () => {
    clearTimeout(timer);
    const wait = waits[form.elements.who?.value ?? ''] ?? 0;
    const left = Math.max(Math.ceil((begun + wait * 1000 - Date.now()) / 1000), 0);
    button.disabled = left > 0;
    label.textContent = left > 0 ? button.dataset.waitText.replace('{s}', clock(left)) : text;
    if (left > 0) {
      // Screen readers read it with the field, not every second.
      note.setAttribute('aria-live', 'off');
      say(button.dataset.waitNote.replace('{s}', clock(left)));
      timer = setTimeout(tick, 250);
    } else if (counted) {
      note.removeAttribute('aria-live');
      say('');
    }
    counted = left > 0;
  };
  form.addEventListener('change', (event) => {
    if (event.target.name !== 'who') return;
    say(''); // the message was about another user
    tick();
  });
  tick();
}

onPage(() => document.querySelectorAll('form[data-unlock]').forEach(unlockForm));

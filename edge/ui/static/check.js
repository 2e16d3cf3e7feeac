// Shows the errors of all fields of a form before it is sent. The server checks
// everything again.

// note writes below a field: an error ('bad'), a confirmation ('good'), or its hint.
export function note(field, text, tone) {
  const box = document.getElementById((field.dataset.noteOf || field.id) + '-note');
  const frame = field.closest('.field');
  box.textContent = text || box.dataset.hint;
  frame.classList.toggle('bad', tone === 'bad');
  frame.classList.toggle('fit', tone === 'good');
  if (tone === 'bad') field.setAttribute('aria-invalid', 'true');
  else field.removeAttribute('aria-invalid');
}

// Checks of the fields' own modules: field → () => error text.
const checks = new WeakMap();

export function setCheck(field, check) {
  checks.set(field, check);
}

const fieldsOf = (form) => [...form.querySelectorAll('[data-missing]')];

function problem(field) {
  const own = checks.get(field);
  if (own) return own();
  const empty = field.type === 'checkbox' ? !field.checked : field.value.trim() === '';
  if (empty) return field.dataset.missing;
  const digits = field.value.replace(/\D/g, '').length;
  return field.dataset.minDigits && digits < Number(field.dataset.minDigits) ? field.dataset.wrong : '';
}

const unready = (form, after) => fieldsOf(form).find((field) =>
  problem(field) && after.compareDocumentPosition(field) & Node.DOCUMENT_POSITION_FOLLOWING);

// moveOn leaves a field that is complete: for the next one that is not, or for the
// form's button.
export function moveOn(field) {
  if (!field.form.matches('[data-check]')) return;
  (unready(field.form, field) ?? field.form.querySelector('button.main'))?.focus();
}

export function checkFields(form) {
  form.addEventListener('submit', (event) => {
    let first = null;
    for (const field of fieldsOf(form)) {
      const text = problem(field);
      if (!text) continue;
      note(field, text, 'bad');
      first ??= field;
    }
    if (!first) return;
    event.preventDefault();
    first.focus();
  });
  // Enter in a field that is right goes to the next that is not; if there is none, it
  // sends the form.
  form.addEventListener('keydown', (event) => {
    const field = event.target;
    if (event.key !== 'Enter' || event.defaultPrevented || event.isComposing || !field.matches('input')) return;
    const next = field.dataset.missing && problem(field) ? null : unready(form, field);
    if (!next) return;
    event.preventDefault();
    next.focus();
  });
  // An error disappears when its cause does, and none appears while typing.
  form.addEventListener('input', ({ target }) => {
    if (target.getAttribute('aria-invalid') && target.dataset.missing && !problem(target)) note(target, '', '');
  });
}

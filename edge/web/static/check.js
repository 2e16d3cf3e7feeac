// Says what is wrong with the fields of a form, all at once, before it is sent.
// The server checks everything again.

// note writes under a field: an error, a good word, or the field's hint.
export function note(field, text, mood) {
  const box = document.getElementById((field.dataset.noteOf || field.id) + '-note');
  const frame = field.closest('.field');
  box.textContent = text || box.dataset.hint;
  frame.classList.toggle('bad', mood === 'bad');
  frame.classList.toggle('fit', mood === 'good');
  if (mood === 'bad') field.setAttribute('aria-invalid', 'true');
  else field.removeAttribute('aria-invalid');
}

// A field's own module may put its judgement here: field → () => error text.
const judges = new WeakMap();

export function judge(field, tell) {
  judges.set(field, tell);
}

export function checkFields(form) {
  const fields = () => [...form.querySelectorAll('[data-missing]')];
  const problem = (field) => {
    const own = judges.get(field);
    if (own) return own();
    const empty = field.type === 'checkbox' ? !field.checked : field.value.trim() === '';
    if (empty) return field.dataset.missing;
    const digits = field.value.replace(/\D/g, '').length;
    return field.dataset.least && digits < Number(field.dataset.least) ? field.dataset.wrong : '';
  };
  form.addEventListener('submit', (event) => {
    let first = null;
    for (const field of fields()) {
      const text = problem(field);
      if (!text) continue;
      note(field, text, 'bad');
      first ??= field;
    }
    if (!first) return;
    event.preventDefault();
    first.focus();
  });
  // A complaint goes as soon as its cause is gone, and none comes while typing.
  form.addEventListener('input', ({ target }) => {
    if (target.getAttribute('aria-invalid') && target.dataset.missing && !problem(target)) note(target, '', '');
  });
}

// The amount field: quick keys fill it, and the note below spells it with Indian
// grouping while it is typed, or says that it is over the limit. spell.go of package
// i18n has the same rules.
import { moveOn, note, setCheck } from './check.js';

function spell(n, words) {
  const below = words.below100.split(',');
  const parts = [];
  for (const [size, unit] of [[1e7, 'crore'], [1e5, 'lakh'], [1e3, 'thousand']]) {
    if (n < size) continue;
    const many = Math.floor(n / size);
    n %= size;
    const key = unit + (many === 1 ? '-one' : '') + (n > 0 ? '-then' : '');
    parts.push(words[key].replace('{n}', spell(many, words)));
  }
  if (n >= 100) {
    parts.push(words[n % 100 ? 'hundreds-then' : 'hundreds'].split(',')[Math.floor(n / 100) - 1]);
    n %= 100;
  }
  if (n > 0 || parts.length === 0) parts.push(below[n]);
  return parts.join(' ');
}

export function inWords(rupees, paise, words) {
  const text = words[rupees === 1 ? 'rupee' : 'rupees'].replace('{n}', spell(rupees, words));
  if (!paise) return text;
  return words.and.replace('{a}', text).replace('{b}', words.paise.replace('{n}', spell(paise, words)));
}

const grouped = (digits) => digits.replace(/(\d)(?=(\d\d)+\d$)/g, '$1,');

export function amountField(field) {
  const words = JSON.parse(field.dataset.spelling);
  const keys = [...field.form.querySelectorAll('input[name=quick]')];
  const read = () => /^(0|[1-9]\d{0,9})(?:\.(\d{1,2}))?$/.exec(field.value.replace(/[,\s₹]/g, ''));

  // The server's limits, in rupees; without a limit there is no attribute.
  const { most, least, outside } = field.dataset;
  const tooMuch = (m) => most && Number(m[1] + '.' + (m[2] || '0')) > Number(most);
  const tooLittle = (m) => least && Number(m[1] + '.' + (m[2] || '0')) < Number(least);
  const problem = () => {
    if (field.value.trim() === '') return field.dataset.missing;
    const m = read();
    if (!m) return field.dataset.number;
    return tooMuch(m) || tooLittle(m) ? outside : '';
  };
  setCheck(field, problem);
  const show = () => {
    const m = read();
    const amount = m && m[1] + (m[2] ? '.' + m[2].padEnd(2, '0') : '');
    keys.forEach((key) => (key.checked = amount === key.value));
    if (!m) note(field, '', '');
    else if (tooMuch(m)) note(field, outside, 'bad'); // more digits don't mend it; too little may still grow
    else note(field, '₹' + grouped(m[1]) + (m[2] ? '.' + m[2].padEnd(2, '0') : '') + ': ' + inWords(Number(m[1]), Number((m[2] || '').padEnd(2, '0')), words), '');
  };
  field.addEventListener('input', show);
  keys.forEach((key) => key.addEventListener('change', () => {
    field.value = key.value;
    show();
  }));
  // A quick key's letter chooses it from within the field, on any keyboard layout.
  field.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
    const key = keys.find(({ dataset: { letter } }) => letter && (event.key.toLowerCase() === letter || event.code === 'Key' + letter.toUpperCase()));
    if (!key) return;
    event.preventDefault();
    field.value = key.value;
    show();
    if (!problem()) moveOn(field);
  });
  field.addEventListener('blur', () => field.value && problem() && note(field, problem(), 'bad'));
  const chosen = keys.find((key) => key.checked);
  if (field.value === '' && chosen) field.value = chosen.value;
  if (field.value && !field.hasAttribute('aria-invalid')) show();
}

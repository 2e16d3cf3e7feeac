// The Aadhaar field: grouped 4-4-4 as typed, checked by its check digit
// (Verhoeff), masked when the field loses the focus. A last digit that makes it right
// goes on to the next field. The number is only in this module's
// memory and in the sent form. When the server refuses a form, the number of the refused
// form is taken over by the page that says so, for a minute, masked; also when the bank
// refuses it while a page without the field waits for the answer ([data-awaits-aadhaar]).
import { moveOn, note, setCheck } from './check.js';

const product = [
  [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], [1, 2, 3, 4, 0, 6, 7, 8, 9, 5], [2, 3, 4, 0, 1, 7, 8, 9, 5, 6],
  [3, 4, 0, 1, 2, 8, 9, 5, 6, 7], [4, 0, 1, 2, 3, 9, 5, 6, 7, 8], [5, 9, 8, 7, 6, 0, 4, 3, 2, 1],
  [6, 5, 9, 8, 7, 1, 0, 4, 3, 2], [7, 6, 5, 9, 8, 2, 1, 0, 4, 3], [8, 7, 6, 5, 9, 3, 2, 1, 0, 4],
  [9, 8, 7, 6, 5, 4, 3, 2, 1, 0],
];
const permutation = [
  [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], [1, 5, 7, 6, 2, 8, 3, 0, 9, 4], [5, 8, 0, 3, 7, 9, 6, 1, 4, 2],
  [8, 9, 1, 6, 0, 4, 3, 5, 2, 7], [9, 4, 5, 3, 1, 2, 6, 8, 7, 0], [4, 2, 8, 6, 5, 7, 3, 9, 0, 1],
  [2, 7, 9, 3, 8, 0, 6, 4, 1, 5], [7, 0, 4, 6, 9, 1, 3, 2, 5, 8],
];

export function wellFormed(digits) {
  if (!/^\d{12}$/.test(digits)) return false;
  const check = [...digits].reverse().reduce((sum, d, i) => product[sum][permutation[i % 8][d]], 0);
  return check === 0;
}

const keptFor = 60000; // milliseconds
let kept = ''; // the number of the form that is being sent
let forgetting = 0;

// keepAadhaar keeps a form's number for the page that may refuse the form.
export function keepAadhaar(form) {
  kept = new FormData(form).get(form.querySelector('[data-aadhaar]').name);
  clearTimeout(forgetting);
  forgetting = setTimeout(forgetAadhaar, keptFor);
}

export function forgetAadhaar() {
  clearTimeout(forgetting);
  kept = '';
}

// keepsAadhaar reports whether a number waits for the page that takes it over.
export function keepsAadhaar() {
  return kept !== '';
}
window.addEventListener('pagehide', forgetAadhaar);

const grouped = (digits) => digits.replace(/(\d{4})(?=\d)/g, '$1 ');

export function aadhaarField(field) {
  // Something may have been typed before this module was loaded.
  let digits = field.value.replace(/\D/g, '').slice(0, 12);
  let masked = false;
  field.value = grouped(digits);

  const problem = () => {
    if (digits === '') return field.dataset.missing;
    if (digits.length < 12) return field.dataset.shape;
    if (field.dataset.ends && !digits.endsWith(field.dataset.ends)) return field.dataset.differs; // of a scanned card
    return wellFormed(digits) ? '' : field.dataset.check;
  };
  setCheck(field, problem);

  const mask = () => {
    masked = digits.length === 12;
    if (masked) field.value = 'XXXX XXXX ' + digits.slice(8);
  };
  let dropping = 0;
  if (kept && field.dataset.again) {
    digits = kept;
    mask();
    note(field, '', '');
    if (document.activeElement === field) {
      const wrong = field.form.querySelector('[aria-invalid]');
      if (wrong) wrong.focus();
      else moveOn(field);
    }
    dropping = setTimeout(() => {
      digits = '';
      masked = false;
      field.value = '';
      if (field.isConnected) note(field, field.dataset.again, 'bad');
    }, keptFor);
  }

  field.addEventListener('input', (event) => {
    clearTimeout(dropping);
    const caret = field.value.slice(0, field.selectionStart).replace(/\D/g, '').length;
    digits = field.value.replace(/\D/g, '').slice(0, 12);
    field.value = grouped(digits);
    const at = grouped(digits.slice(0, caret)).length;
    field.setSelectionRange(at, at);
    if (digits.length < 12) note(field, '', '');
    else if (problem()) note(field, problem(), 'bad');
    else {
      note(field, field.dataset.good, 'good');
      if (event.inputType?.startsWith('insert') && at === field.value.length) moveOn(field);
    }
  });
  field.addEventListener('blur', () => {
    if (digits && problem()) note(field, problem(), 'bad');
    mask();
  });
  field.addEventListener('focus', () => {
    if (masked) field.value = grouped(digits);
    masked = false;
  });
  field.form.addEventListener('formdata', (event) => event.formData.set(field.name, digits));
}

// The bank list as a search field: typing filters it, arrows move, Enter chooses;
// recent banks are first, and the most recent one is marked, so that Enter alone chooses
// it. The hidden select holds the choice and sends it.
// (ARIA: combobox with a listbox.)
import { moveOn, setCheck, note } from './check.js';

const shown = 60; // nobody scrolls further; typing filters

// initials returns SBI for State Bank of India.
function initials(name) {
  const words = name.match(/[\p{L}\p{N}]+/gu) || [];
  const all = words.map((w) => w[0]).join('');
  const big = words.filter((w) => !/^(of|and|the|ltd|limited)$/i.test(w)).map((w) => w[0]).join('');
  return [all, big].map((s) => s.toLowerCase());
}

function item(text, attributes) {
  const li = document.createElement('li');
  li.textContent = text;
  for (const [name, value] of Object.entries(attributes)) li.setAttribute(name, value);
  return li;
}

function small(bank) {
  const rate = document.createElement('small');
  rate.textContent = bank.short;
  rate.className = bank.tone;
  return rate;
}

function readBanks(select) {
  const seen = new Map();
  for (const group of select.querySelectorAll('optgroup')) {
    for (const option of group.children) {
      if (seen.has(option.value)) continue;
      const name = option.textContent;
      seen.set(option.value, { iin: option.value, name, group: group.label, low: name.toLowerCase(), initials: initials(name), ...option.dataset });
    }
  }
  return [...seen.values()];
}

// rank is how well a bank matches the typed text; 0: not at all.
function rank(bank, text) {
  if (text === '' || bank.initials.includes(text)) return 4;
  if (bank.low.startsWith(text)) return 3;
  if (bank.iin.startsWith(text) || bank.initials.some((s) => s.startsWith(text))) return 2;
  return text.split(/\s+/).every((word) => bank.low.split(/[^\p{L}\p{N}]+/u).some((part) => part.startsWith(word))) ? 1 : 0;
}

export function bankField(select) {
  const banks = readBanks(select);
  if (banks.length === 0) return;
  const recent = select.querySelectorAll('optgroup').length > 1;
  const input = document.createElement('input');
  const list = document.createElement('ul');
  const box = document.createElement('div');
  let rows = [];
  let at = -1;

  box.className = 'combo';
  Object.assign(input, { id: select.id, autocomplete: 'off', spellcheck: false, placeholder: select.dataset.placeholder });
  Object.assign(list, { id: 'banks', hidden: true });
  list.setAttribute('role', 'listbox');
  list.setAttribute('aria-labelledby', 'iin-label');
  for (const [name, value] of Object.entries({
    role: 'combobox', 'aria-expanded': 'false', 'aria-controls': 'banks', 'aria-autocomplete': 'list',
    'aria-describedby': 'iin-note', 'data-missing': select.dataset.missing,
  })) input.setAttribute(name, value);
  if (select.hasAttribute('aria-invalid')) input.setAttribute('aria-invalid', 'true');
  const focused = document.activeElement === select || select.autofocus;
  select.id = 'iin-choice';
  select.hidden = true;
  select.removeAttribute('data-missing');
  select.before(box);
  box.append(input, list, select);
  if (select.value) input.value = select.selectedOptions[0].textContent;
  if (focused) input.focus();
  setCheck(input, () => (select.value ? '' : input.dataset.missing));

  // The bank's success rate replaces the list's age, so nothing moves.
  const age = document.getElementById('iin-rate');
  const showRate = (bank) => {
    if (!age) return;
    const rate = bank && (bank.rate || age.dataset.noRate);
    age.className = 'aside rate ' + ((rate && bank.tone) || '');
    age.textContent = rate || age.dataset.age;
  };
  const close = () => {
    list.hidden = true;
    at = -1;
    input.setAttribute('aria-expanded', 'false');
    input.removeAttribute('aria-activedescendant');
  };
  const mark = (i) => {
    at = i;
    rows.forEach((row, j) => row.setAttribute('aria-selected', String(i === j)));
    if (!rows[i]) return input.removeAttribute('aria-activedescendant');
    input.setAttribute('aria-activedescendant', rows[i].id);
    rows[i].scrollIntoView({ block: 'nearest' });
  };
  const choose = (bank) => {
    select.value = bank.iin;
    input.value = bank.name;
    note(input, '', '');
    showRate(bank);
    close();
  };
  const show = (text) => {
    const fits = banks.map((bank) => [rank(bank, text), bank]).filter(([r]) => r > 0);
    if (text) fits.sort((a, b) => b[0] - a[0]); // stable: recent ones stay first among equals
    let group = '';
    rows = [];
    list.replaceChildren();
    for (const [, bank] of fits.slice(0, shown)) {
      if (!text && bank.group !== group) {
        group = bank.group;
        list.append(item(group, { class: 'group', role: 'presentation' }));
      }
      const row = item(bank.name, { id: 'bank-' + bank.iin, role: 'option', 'aria-selected': 'false' });
      row.addEventListener('pointerdown', (event) => {
        event.preventDefault(); // the field keeps the focus
        choose(bank);
      });
      if (bank.short) row.append(small(bank));
      row.bank = bank;
      rows.push(row);
      list.append(row);
    }
    if (rows.length === 0) list.append(item(select.dataset.none, { class: 'group', role: 'presentation' }));
    list.hidden = false;
    input.setAttribute('aria-expanded', 'true');
    mark(rows.length && (text || recent) ? 0 : -1);
  };
  const typed = () => input.value.trim().toLowerCase();

  input.addEventListener('input', () => {
    select.value = '';
    showRate(null);
    show(typed());
  });
  input.addEventListener('focus', () => {
    input.select();
    if (!select.value && recent && input.matches(':focus-visible')) show(typed());
  });
  input.addEventListener('click', () => list.hidden && show(''));
  input.addEventListener('blur', () => {
    // Leaving the field with a marked bank chooses it: Tab works like Enter.
    if (!list.hidden && rows[at] && typed()) choose(rows[at].bank);
    close();
    if (input.value && !select.value) note(input, input.dataset.missing, 'bad');
  });
  input.addEventListener('keydown', (event) => {
    const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (move) {
      event.preventDefault();
      if (list.hidden) show(select.value ? '' : typed());
      mark(at < 0 && move < 0 ? rows.length - 1 : (at + move + rows.length) % Math.max(rows.length, 1));
    } else if (event.key === 'Enter' && !list.hidden && rows[at]) {
      event.preventDefault();
      choose(rows[at].bank);
      moveOn(input);
    } else if (event.key === 'Escape' && !list.hidden) {
      event.preventDefault(); // it closes the list, not the page
      close();
    }
  });
}

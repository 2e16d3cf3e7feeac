// The bank and the IFSC of a new beneficiary: a bank is suggested while its name is typed
// and fills in what its codes begin with; a complete code shows its bank and branch code.
import { note } from './check.js';

export function codeField() {
  const code = document.getElementById('receiverIfscCode');
  const bank = document.getElementById('bank');
  if (!code || !bank) return;
  const list = document.createElement('datalist');
  list.id = 'bank-list';
  bank.after(list);
  bank.setAttribute('list', list.id);

  const get = async (path) => {
    try {
      const reply = await fetch(path, { redirect: 'manual', cache: 'no-store' });
      return reply.ok ? await reply.json() : null;
    } catch {
      return null; // the code can be typed, and is checked with the form
    }
  };
  let start = ''; // of the chosen bank's codes
  const choose = (option) => {
    start = option.dataset.start;
    code.value = option.dataset.start;
    code.focus();
    code.setSelectionRange(code.value.length, code.value.length);
    code.dispatchEvent(new Event('input', { bubbles: true }));
  };
  bank.addEventListener('input', async () => {
    const typed = bank.value;
    const chosen = [...list.options].find((option) => option.value === typed);
    if (chosen) return choose(chosen);
    const banks = await get('/dmt/banks?q=' + encodeURIComponent(typed));
    if (!banks || bank.value !== typed) return;
    list.replaceChildren(...banks.map(({ name, start }) => {
      const option = document.createElement('option');
      option.value = name;
      option.dataset.start = start;
      return option;
    }));
  });
  code.addEventListener('input', async () => {
    const typed = code.value;
    if (start && !typed.toUpperCase().startsWith(start.slice(0, typed.length))) {
      start = bank.value = ''; // another bank's code
    }
    if (typed.replace(/\s/g, '').length < 11) return note(code, '', '');
    const about = await get('/dmt/ifsc?code=' + encodeURIComponent(typed));
    if (!about || code.value !== typed) return;
    note(code, (about.known || about.wrong ? '' : '⚠ ') + about.text, about.wrong ? 'bad' : about.known ? 'good' : '');
  });
}

// Adds up the count while it is typed. The server adds it up again.
import { onPage } from './onpage.js';

const rupees = new Intl.NumberFormat('en-IN', { maximumFractionDigits: 0 });

onPage(() => {
  const fields = [...document.querySelectorAll('input[data-paise]')];
  const total = document.getElementById('dayend-total');

  const add = () => {
    let sum = 0;
    for (const field of fields) {
      const pieces = /^\d{1,4}$/.test(field.value.trim()) ? Number(field.value.trim()) : 0;
      const part = (pieces * Number(field.dataset.paise)) / 100;
      field.parentElement.querySelector('output').textContent = pieces ? '₹' + rupees.format(part) : '';
      sum += part;
    }
    total.textContent = '₹' + rupees.format(sum);
  };

  fields.forEach((field, i) => {
    field.addEventListener('input', add);
    // Enter moves to the next denomination, and sends only from the last one.
    field.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' || i === fields.length - 1) return;
      event.preventDefault();
      fields[i + 1].focus();
      fields[i + 1].select();
    });
  });
  if (total) add();
});

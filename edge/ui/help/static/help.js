// Help is searched while somebody types: the page's own address asks for the words, and the
// page is brought up to date. The browser's address and history stay.
import { onPage } from './onpage.js';
import { address, refresh } from './live.js';

const pause = 200; // ms without a key
const longNumber = /(\d[\s-]*){7,}/g; // no code, and perhaps an Aadhaar number: it is not sent

onPage(() => {
  const field = document.querySelector('.help-find input');
  let timer = 0;
  field?.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(() => field.isConnected && find(field.value), pause);
  });
});

function find(text) {
  const words = text.replace(longNumber, ' ').trim();
  const to = address();
  to.search = words ? new URLSearchParams({ q: words, typed: 'yes' }) : '';
  document.querySelector('meta[name=here]').content = to.pathname + to.search;
  refresh('');
}

// Counts a wait down, and reloads the page when it is over. The server knows the
// time; the countdown restarts when the server sends a new value.
import { codeField } from './ifsc.js';
import { onPage } from './onpage.js';

onPage(codeField);

const find = () => document.querySelector('[data-wait-left]');

onPage(() => {
  const page = document.body;
  let shown = find();
  if (!shown) return;
  let seconds = Number(shown.dataset.waitLeft);
  const tick = setInterval(() => {
    if (document.body !== page) {
      clearInterval(tick);
      return;
    }
    const now = find();
    if (now && now !== shown) {
      shown = now;
      seconds = Number(now.dataset.waitLeft) + 1;
    }
    seconds -= 1;
    if (now) now.querySelector('b').textContent = String(Math.max(seconds, 0));
    if (seconds > 0 && now) return;
    clearInterval(tick);
    location.replace(document.querySelector('meta[name=here]').content);
  }, 1000);
});

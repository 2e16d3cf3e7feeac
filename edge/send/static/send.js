// Counts a wait down, and looks at the page again when it is over. The server
// keeps the time; this shows it, and begins anew where the server told again.
const find = () => document.querySelector('[data-send-left]');
let told = find();
if (told) {
  let seconds = Number(told.dataset.sendLeft);
  const tick = setInterval(() => {
    const now = find();
    if (now && now !== told) {
      told = now;
      seconds = Number(now.dataset.sendLeft) + 1;
    }
    seconds -= 1;
    if (now) now.querySelector('b').textContent = String(Math.max(seconds, 0));
    if (seconds > 0 && now) return;
    clearInterval(tick);
    location.replace(document.querySelector("meta[name=here]").content);
  }, 1000);
}

// Shortcuts: an element with data-key is pressed by that key. Letters and digits
// mean themselves while something is typed; Escape always works. A key that two
// elements have presses neither: it could mean another customer's cash.

export function shortcuts() {
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey || event.repeat) return;
    const typing = event.target.matches('input:not([type=checkbox], [type=radio]), select, textarea');
    if (typing && event.key !== 'Escape') return;
    const wanted = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const targets = [...document.querySelectorAll('[data-key]')].filter((e) => e.dataset.key === wanted);
    if (targets.length === 0) return;
    event.preventDefault();
    if (targets.length === 1) targets[0].click();
  });
}

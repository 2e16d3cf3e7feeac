// Shortcuts: a key clicks the element with that data-key. While somebody types in
// a field, only Escape does. A key of two elements clicks neither: one of them could
// confirm another customer's cash.

const openMenu = CSS.supports('selector(:popover-open)') ? ':popover-open' : ':not(*)';

export function shortcuts() {
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey || event.repeat) return;
    const typing = event.target.matches('input:not([type=checkbox], [type=radio]), select, textarea');
    if (typing && event.key !== 'Escape') return;
    if (event.key === 'Escape' && document.querySelector(openMenu)) return; // the browser closes it
    const wanted = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const targets = [...document.querySelectorAll('[data-key]')].filter((e) => e.dataset.key === wanted);
    if (targets.length === 0) return;
    event.preventDefault();
    if (targets.length === 1) targets[0].click();
  });
}

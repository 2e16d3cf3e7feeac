// Shortcuts: an element with data-key is pressed by that key. Letters and digits
// mean themselves while something is typed; Escape always works.

export function shortcuts() {
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey || event.repeat) return;
    const typing = event.target.matches('input:not([type=checkbox], [type=radio]), select, textarea');
    if (typing && event.key !== 'Escape') return;
    const wanted = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const target = [...document.querySelectorAll('[data-key]')].find((e) => e.dataset.key === wanted);
    if (!target) return;
    event.preventDefault();
    target.click();
  });
}

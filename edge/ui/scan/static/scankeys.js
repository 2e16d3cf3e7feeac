// Recognises a scanner by its keys. Its text is either XML or more digits than any field
// takes, faster than a person types.

const least = 21; // digits of a scan; no field takes more than 20
const within = 1500; // ms for so many digits
const pause = 500; // ms without a key: what follows is typed anew
const silence = 1500; // ms without a key end a scan, where the scanner sends no Enter
const after = 300; // ms after a scan in which another Enter belongs to it

// watchScanner gives the text of a scan to take, on pages where field finds one.
export function watchScanner(field, take) {
  let typed = []; // the last keys: {key, at, into, before}
  let scan = null; // the text of a scan that is not at its end
  let ended = -Infinity;
  let timer = 0;

  const finish = (at) => {
    clearTimeout(timer);
    const text = scan;
    scan = null;
    ended = at;
    take(text);
  };
  const swallow = (event) => {
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  const go = (event) => {
    swallow(event);
    clearTimeout(timer);
    const ends = event.key === 'Enter' || event.key === 'Tab';
    if (ends && whole(scan)) return finish(event.timeStamp);
    if (ends) scan += '\n'; // XML may have lines
    else if (event.key.length === 1 && !event.ctrlKey) scan += event.key;
    timer = setTimeout(() => finish(performance.now()), silence);
  };
  const begin = (from, event) => {
    scan = typed.slice(from).map((k) => k.key).slice(0, -1).join('');
    // The fields that got its first characters, the first last: the focus may have moved on.
    for (const k of typed.slice(from).reverse()) putBack(k);
    typed = [];
    go(event);
  };

  document.addEventListener('keydown', (event) => {
    if (scan !== null) return go(event);
    if (!field()) return;
    if (event.timeStamp - ended < after && (event.key === 'Enter' || event.key === 'Tab' || event.ctrlKey)) return swallow(event);
    if (event.key.length !== 1 || event.ctrlKey || event.altKey || event.metaKey) {
      if (event.key !== 'Shift') typed = [];
      return;
    }
    if (typed.length > 0 && event.timeStamp - typed.at(-1).at > pause) typed = [];
    typed.push({ key: event.key, at: event.timeStamp, into: event.target, before: event.target.value });
    const from = start(typed);
    if (from >= 0) begin(from, event);
  }, true);
  document.addEventListener('beforeinput', (event) => scan !== null && event.cancelable && event.preventDefault(), true);
  // Some scanners paste.
  document.addEventListener('paste', (event) => {
    const text = event.clipboardData?.getData('text').trim() ?? '';
    if (!field() || !(text.length >= least && /^\d+$/.test(text)) && !/^<[?/P]/.test(text)) return;
    swallow(event);
    take(text);
  }, true);
}

// whole reports whether Enter ends a scan: XML does not end before its element.
const whole = (scan) => !scan.startsWith('<') || /<PrintLetterBarcodeData[^>]*>/.test(scan);

// start finds where a scan begins among the last keys; -1: this is none.
function start(typed) {
  const text = typed.map((k) => k.key).join('');
  if (/<[?/P]$/.test(text)) return text.length - 2; // nobody types that here
  const digits = /\d+$/.exec(text);
  if (!digits || digits[0].length < least) return -1;
  return typed.at(-1).at - typed.at(-least).at <= within ? digits.index : -1;
}

function putBack({ into, before }) {
  if (!into.isConnected || before === undefined || into.value === before) return;
  into.value = before;
  if (into.matches('input, textarea')) into.dispatchEvent(new Event('input', { bubbles: true }));
}

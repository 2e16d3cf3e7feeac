// The camera's part of the page, where the browser finds QR codes by itself
// (BarcodeDetector): a button, the picture while it looks, and the camera is stopped when a
// code was found, the page is left or hidden, or after a minute.

const every = 200; // ms between two looks
const longest = 60000; // ms

// offerCamera adds the part to box. It gives the text of a code to take, and what is wrong
// to complain.
export async function offerCamera(box, take, complain) {
  if (!('BarcodeDetector' in window) || !navigator.mediaDevices?.getUserMedia) return;
  let texts = null;
  try {
    if (!(await BarcodeDetector.getSupportedFormats()).includes('qr_code')) return;
    texts = await (await fetch('/aadhaar-qr/texts', { redirect: 'manual', cache: 'no-store' })).json();
  } catch {
    return; // the number can be typed
  }
  const button = document.createElement('button');
  button.type = 'button';
  button.id = 'scan-camera';
  button.className = 'second';
  button.textContent = texts.start;
  button.setAttribute('aria-controls', 'scan-view');
  const video = document.createElement('video');
  Object.assign(video, { id: 'scan-view', muted: true, playsInline: true, hidden: true });
  video.setAttribute('aria-label', texts.view);
  box.prepend(button, video);

  let stream = null;
  let watching = null; // what else ends it
  let asked = 0; // counts the presses: an earlier one's camera is stopped when it comes
  const stop = () => {
    asked += 1;
    watching?.abort();
    stream?.getTracks().forEach((track) => track.stop());
    stream = null;
    video.srcObject = null;
    video.hidden = true;
    button.textContent = texts.start;
  };
  const watch = () => {
    watching = new AbortController();
    const { signal } = watching;
    document.addEventListener('visibilitychange', () => document.hidden && stop(), { signal });
    window.addEventListener('pagehide', stop, { signal });
    document.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape') return;
      event.preventDefault(); // it closes the camera, not the page
      event.stopImmediatePropagation();
      stop();
    }, { signal, capture: true });
  };
  const look = async () => {
    const mine = asked;
    const detector = new BarcodeDetector({ formats: ['qr_code'] });
    const until = performance.now() + longest;
    while (mine === asked) {
      if (!box.isConnected) return stop();
      if (performance.now() > until) {
        stop();
        return complain(texts.none);
      }
      const codes = await detector.detect(video).catch(() => []);
      const text = codes.map((code) => code.rawValue.trim()).find((value) => /^\d{600,}$|^</.test(value));
      if (mine === asked && text) {
        stop();
        return take(text);
      }
      await new Promise((done) => setTimeout(done, every));
    }
  };
  const begin = async () => {
    asked += 1;
    const mine = asked;
    try {
      const opened = await navigator.mediaDevices.getUserMedia({ video: { facingMode: 'environment', width: { ideal: 1920 } } });
      if (mine !== asked || !box.isConnected) return opened.getTracks().forEach((track) => track.stop());
      stream = opened;
      watch();
      video.srcObject = stream;
      video.hidden = false;
      button.textContent = texts.stop;
      video.play().catch(() => {}); // it was stopped at once
    } catch {
      if (mine !== asked) return;
      stop();
      return complain(texts.denied);
    }
    look();
  };
  button.addEventListener('click', () => (stream ? stop() : begin()));
}

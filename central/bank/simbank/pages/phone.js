// The camera of the payer's phone, where the browser finds QR codes by itself
// (BarcodeDetector). A payment code that it sees is read as if its link were pasted. The
// camera is stopped when a code was found, the page is left or hidden, or after a minute.
const every = 200; // ms between two looks
const longest = 60000; // ms

const camera = document.getElementById('camera');
const button = document.getElementById('scan');
const video = document.getElementById('view');
const trouble = document.getElementById('no-code');
const start = button.textContent;
let stream = null;
let presses = 0; // an earlier press's camera is stopped when it comes

if (await canScan()) {
  camera.hidden = false;
  button.addEventListener('click', () => (stream ? stop() : begin()));
  document.addEventListener('visibilitychange', () => document.hidden && stop());
  window.addEventListener('pagehide', stop);
}

async function canScan() {
  if (!('BarcodeDetector' in window) || !navigator.mediaDevices?.getUserMedia) return false;
  return (await BarcodeDetector.getSupportedFormats()).includes('qr_code');
}

function stop() {
  presses += 1;
  stream?.getTracks().forEach((track) => track.stop());
  stream = null;
  video.srcObject = null;
  video.hidden = true;
  button.textContent = start;
}

function complain(text) {
  stop();
  trouble.textContent = text;
  trouble.hidden = false;
}

async function begin() {
  presses += 1;
  const mine = presses;
  trouble.hidden = true;
  try {
    const opened = await navigator.mediaDevices.getUserMedia({ video: { facingMode: 'environment' } });
    if (mine !== presses) return opened.getTracks().forEach((track) => track.stop());
    stream = opened;
    video.srcObject = stream;
    video.hidden = false;
    button.textContent = button.dataset.stop;
    video.play().catch(() => {}); // it was stopped at once
  } catch {
    if (mine === presses) complain('The camera is not available. Paste the link.');
    return;
  }
  look(mine);
}

async function look(mine) {
  const detector = new BarcodeDetector({ formats: ['qr_code'] });
  const until = performance.now() + longest;
  while (mine === presses) {
    if (performance.now() > until) return complain('No payment code was seen. Try again, or paste the link.');
    const codes = await detector.detect(video).catch(() => []);
    const text = codes.map((code) => code.rawValue.trim()).find((value) => /^upi:/i.test(value));
    if (mine !== presses) return;
    if (text) {
      stop();
      document.getElementById('link').value = text;
      document.getElementById('read').requestSubmit();
      return;
    }
    await new Promise((done) => setTimeout(done, every));
  }
}

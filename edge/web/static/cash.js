// Sounds once for each open cash that is new to this tab: two rising tones to
// give, two falling ones not to. A browser lets sound begin only after a touch of
// the page: what comes before the first one sounds with it. Of two tabs of a browser
// the one that is seen sounds; where none is, the one that has the stream.

import { seenElsewhere } from './live.js';

const heard = 'galla-cash-heard';
const tones = { due: [660, 880, 1100], reversed: [320, 220, 320] };
let audio = null;
let waiting = null;

export function openCash() {
  const strip = document.getElementById('open-cash');
  if (!strip) return;
  const look = async () => {
    const open = strip.dataset.state.split(' ').filter(Boolean);
    const known = (sessionStorage.getItem(heard) ?? '').split(' ');
    const fresh = open.filter((one) => !known.includes(one));
    sessionStorage.setItem(heard, open.join(' '));
    if (fresh.length === 0 || strip.dataset.sound !== 'on') return;
    const tone = fresh.some((one) => /:(reversed|refund)$/.test(one)) ? 'reversed' : 'due';
    if (await seenElsewhere()) return;
    waiting = tone;
    if (navigator.userActivation?.hasBeenActive ?? false) sound();
  };
  for (const touch of ['pointerdown', 'keydown']) document.addEventListener(touch, sound);
  new MutationObserver(look).observe(strip, { attributes: true, attributeFilter: ['data-state'] });
  look();
}

function sound() {
  if (!waiting || !('AudioContext' in window)) return;
  const played = tones[waiting];
  waiting = null;
  audio ??= new AudioContext();
  audio.resume();
  played.forEach((hertz, i) => {
    const tone = audio.createOscillator();
    const volume = audio.createGain();
    const at = audio.currentTime + i * 0.2;
    tone.frequency.value = hertz;
    volume.gain.setValueAtTime(0.25, at);
    volume.gain.exponentialRampToValueAtTime(0.001, at + 0.18);
    tone.connect(volume).connect(audio.destination);
    tone.start(at);
    tone.stop(at + 0.18);
  });
}

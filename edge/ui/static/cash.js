// Plays a sound once for each operation in the cash bar that is new to this tab:
// rising tones to give cash, falling ones not to. A browser plays sound only after
// the first touch of the page, so an earlier sound waits for it. Of several tabs the
// visible one plays; if none is visible, the one that has the event stream.

import { visibleElsewhere } from './live.js';

const playedKey = 'galla-cash-played';
const tones = { due: [660, 880, 1100], reversed: [320, 220, 320] };
let audio = null;
let waiting = null;

export function watchCashBar() {
  const bar = document.getElementById('open-cash');
  if (!bar) return;
  const update = async () => {
    const open = bar.dataset.state.split(' ').filter(Boolean);
    const known = (sessionStorage.getItem(playedKey) ?? '').split(' ');
    const fresh = open.filter((one) => !known.includes(one));
    sessionStorage.setItem(playedKey, open.join(' '));
    if (fresh.length === 0 || bar.dataset.sound !== 'on') return;
    const tone = fresh.some((one) => /:(reversed|refund)$/.test(one)) ? 'reversed' : 'due';
    if (await visibleElsewhere()) return;
    waiting = tone;
    if (navigator.userActivation?.hasBeenActive ?? false) sound();
  };
  for (const touch of ['pointerdown', 'keydown']) document.addEventListener(touch, sound);
  new MutationObserver(update).observe(bar, { attributes: true, attributeFilter: ['data-state'] });
  update();
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

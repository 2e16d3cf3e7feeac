// Plays the sound of payments by UPI. The counter gives each sound to one window, so that
// of several only one plays it; a hidden window asks where none is visible. A browser plays
// sound only after a touch of its pages: an earlier sound waits for it.

import { visibleElsewhere } from './live.js';

let playing = Promise.resolve(); // sounds follow one another
let waiting = []; // files that wait for a touch
let asking = false;

export function watchPayments() {
  const strip = document.getElementById('payments');
  if (!strip) return;
  new MutationObserver(() => ask(strip)).observe(strip, { attributes: true, attributeFilter: ['data-sounds'] });
  ask(strip);
}

// playWaiting plays what waited for a touch.
export function playWaiting() {
  for (const touch of ['pointerdown', 'keydown']) {
    document.addEventListener(touch, () => waiting.splice(0).forEach(play));
  }
}

async function ask(strip) {
  const silent = document.getElementById('open-cash')?.dataset.sound !== 'on';
  if (asking || !strip.dataset.sounds || silent || (await visibleElsewhere())) return;
  asking = true;
  const body = new URLSearchParams({ csrf: document.querySelector('meta[name=csrf]').content });
  const asked = strip.dataset.sounds;
  try {
    const reply = await fetch('/payments/announce', { method: 'POST', body });
    if (reply.status === 200) play(await reply.json());
  } catch {
    strip.dataset.sounds = ''; // the program does not answer: the page's next parts ask again
  }
  asking = false;
  const now = document.getElementById('payments');
  if (now && now.dataset.sounds && now.dataset.sounds !== asked) ask(now); // more came meanwhile
}

function play(announcement) {
  playing = playing.then(async () => {
    const sound = new Audio(announcement.sound);
    const over = new Promise((done) => ['ended', 'error'].forEach((event) => sound.addEventListener(event, done)));
    try {
      await sound.play();
    } catch (fault) {
      if (fault.name === 'NotAllowedError') waiting.push(announcement);
      return;
    }
    await over;
    say(announcement);
  });
}

// say speaks with the browser's voice what the file does not say. A voice of another language
// would be unintelligible.
function say({ say: text, lang }) {
  const speech = window.speechSynthesis;
  const voice = text && speech?.getVoices().find((v) => v.lang.toLowerCase().split(/[-_]/)[0] === lang);
  if (!voice) return;
  const words = new SpeechSynthesisUtterance(text);
  words.voice = voice;
  words.lang = voice.lang;
  speech.speak(words);
}

// Speaks what the customer's screen shows, with a chime, while the switch is on. A
// browser plays sound only after a touch of the page: the switch is that touch.
const button = document.getElementById('customer-sound');
const region = document.getElementById('customer-now');
const chimes = { give: [660, 880], done: [660, 880], stop: [300, 200], pending: [440, 330], quiet: [330] };
let audio = null;

if (button && region) {
  button.hidden = !('speechSynthesis' in window) && !('AudioContext' in window);
  let on = false;
  // Each customer may have another language.
  const show = () => {
    button.setAttribute('aria-pressed', String(on));
    button.textContent = on ? region.dataset.mute : region.dataset.loud;
    document.documentElement.lang = button.lang = region.lang;
    document.querySelector('#stale span').textContent = region.dataset.stale;
  };
  button.addEventListener('click', () => {
    on = !on;
    if (on && 'AudioContext' in window) {
      audio ??= new AudioContext();
      audio.resume();
    }
    if (!on) window.speechSynthesis?.cancel();
    show();
    if (on) say();
  });
  let last = region.dataset.state;
  new MutationObserver(() => {
    show();
    if (region.dataset.state === last) return;
    last = region.dataset.state;
    if (on) say();
  }).observe(region, { attributes: true, attributeFilter: ['data-state', 'lang'] });
}

function say() {
  chime(chimes[region.dataset.tone] ?? []);
  const speech = window.speechSynthesis;
  if (!speech) return;
  // A voice of another language would be unintelligible.
  const voice = speech.getVoices().find((v) => v.lang.toLowerCase().split(/[-_]/)[0] === region.lang);
  if (!voice) return;
  speech.cancel();
  const words = new SpeechSynthesisUtterance(region.dataset.speak);
  words.voice = voice;
  words.lang = voice.lang;
  speech.speak(words);
}

function chime(tones) {
  if (!audio) return;
  tones.forEach((hertz, i) => {
    const tone = audio.createOscillator();
    const volume = audio.createGain();
    const at = audio.currentTime + i * 0.22;
    tone.frequency.value = hertz;
    volume.gain.setValueAtTime(0.2, at);
    volume.gain.exponentialRampToValueAtTime(0.001, at + 0.2);
    tone.connect(volume).connect(audio.destination);
    tone.start(at);
    tone.stop(at + 0.2);
  });
}

// Package speech makes the sounds of the counter: a chime, and words in the counter's six
// languages.
//
// Words are spoken by the program eSpeak NG where it is installed; the package runs it. Texts
// and tones enter; WAV files leave, for the browser to play: a service has no sound device of
// the person at the counter. No text reaches a command line.
package speech

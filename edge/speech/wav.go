package speech

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"time"
)

// Clip is a sound: one channel of 16-bit samples, little-endian.
type Clip struct {
	Rate int // samples for each second
	Data []byte
}

// Length is how long a clip plays.
func (c Clip) Length() time.Duration {
	if c.Rate == 0 {
		return 0
	}
	return time.Duration(len(c.Data)/bytesPerSample) * time.Second / time.Duration(c.Rate)
}

const (
	// DefaultRate is the sample rate of a chime without words.
	DefaultRate    = 22050
	bytesPerSample = 2
	headerBytes    = 44 // of the files that WAV makes
	maxRate        = 48000
)

// How a chime sounds: bells that fade, one after the other.
const (
	toneLength = 350 * time.Millisecond
	toneVolume = 0.5
	toneFade   = 7.0 // how fast a bell fades, for each second
	attack     = 5 * time.Millisecond
	gap        = 150 * time.Millisecond // between the chime and the words
)

// Chime returns tones one after the other, in hertz, at a sample rate.
func Chime(rate int, tones ...float64) Clip {
	var data []byte
	for _, hertz := range tones {
		for i := range samples(rate, toneLength) {
			at := float64(i) / float64(rate)
			volume := toneVolume * math.Exp(-toneFade*at) * min(1, at/attack.Seconds())
			value := volume * (math.Sin(2*math.Pi*hertz*at) + math.Sin(4*math.Pi*hertz*at)/4) / 1.25
			data = binary.LittleEndian.AppendUint16(data, uint16(int16(value*math.MaxInt16)))
		}
	}
	return Clip{Rate: rate, Data: data}
}

func samples(rate int, length time.Duration) int {
	return int(int64(rate) * int64(length) / int64(time.Second))
}

// Announcement returns a chime, and the words after it; a zero clip has none.
func Announcement(words Clip, tones ...float64) Clip {
	if words.Rate == 0 {
		return Chime(DefaultRate, tones...)
	}
	c := Chime(words.Rate, tones...)
	c.Data = append(c.Data, make([]byte, bytesPerSample*samples(c.Rate, gap))...)
	c.Data = append(c.Data, words.Data...)
	return c
}

// WAV returns the clip as a file.
func (c Clip) WAV() []byte {
	le := binary.LittleEndian
	b := make([]byte, 0, headerBytes+len(c.Data))
	b = append(b, "RIFF"...)
	b = le.AppendUint32(b, uint32(headerBytes-8+len(c.Data)))
	b = append(b, "WAVEfmt "...)
	b = le.AppendUint32(b, 16)
	b = le.AppendUint16(b, 1) // PCM
	b = le.AppendUint16(b, 1) // one channel
	b = le.AppendUint32(b, uint32(c.Rate))
	b = le.AppendUint32(b, uint32(c.Rate*bytesPerSample))
	b = le.AppendUint16(b, bytesPerSample)
	b = le.AppendUint16(b, 8*bytesPerSample)
	b = append(b, "data"...)
	b = le.AppendUint32(b, uint32(len(c.Data)))
	return append(b, c.Data...)
}

var errNoClip = errors.New("this is no WAV file of one channel with 16-bit samples")

// ParseWAV reads a file. A program that writes into a pipe does not know how long it will
// be: what is missing of the stated length is no error.
func ParseWAV(file []byte) (Clip, error) {
	if len(file) < 12 || string(file[:4]) != "RIFF" || string(file[8:12]) != "WAVE" {
		return Clip{}, errNoClip
	}
	le := binary.LittleEndian
	var c Clip
	for rest := file[12:]; len(rest) >= 8; {
		name, size := string(rest[:4]), uint64(le.Uint32(rest[4:8]))
		rest = rest[8:]
		chunk := rest[:min(size, uint64(len(rest)))]
		switch name {
		case "fmt ":
			if len(chunk) < 16 || le.Uint16(chunk) != 1 || le.Uint16(chunk[2:]) != 1 || le.Uint16(chunk[14:]) != 8*bytesPerSample {
				return Clip{}, errNoClip
			}
			if c.Rate = int(le.Uint32(chunk[4:])); c.Rate < 1 || c.Rate > maxRate {
				return Clip{}, errNoClip
			}
		case "data":
			if c.Rate == 0 {
				return Clip{}, errNoClip
			}
			c.Data = bytes.Clone(chunk[:len(chunk)/bytesPerSample*bytesPerSample])
			return c, nil
		}
		rest = rest[min(size+size%2, uint64(len(rest))):]
	}
	return Clip{}, errNoClip
}

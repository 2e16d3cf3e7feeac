package help

import (
	"slices"
	"strings"
	"testing"

	"galla/edge/i18n"
	"galla/edge/ui/help/search"
	"galla/edge/ui/uitest"
)

// questions are what agents type, by the language of the page, with the article that should
// be first: in its script, in Latin letters, and with English words. Who types another
// language than the page's finds the same.
var questions = map[string][]struct{ typed, first string }{
	"en": {
		{"finger not read", "finger"}, {"money cut, no cash", "money-cut"}, {"otp", "otp"}, {"OTP not received", "otp"}, {"no internet", "offline"},
		{"reader not connected", "reader"}, {"forgot pin", "forgot-pin"}, {"receipt does not print", "printer"}, {"cash short in drawer", "drawer"},
		{"close day", "dayend"}, {"send money", "dmt"}, {"add beneficiary", "dmt"}, {"qr code", "upi"}, {"customer did not get the money I sent", "not-arrived"},
		{"limit exceeded", "refused"}, {"insufficient funds", "bank-51"}, {"aadhaar not linked", "bank-52"}, {"aadhaar locked", "bank-WA"}, {"what does green mean", "results"},
		{"how to withdraw cash", "withdrawal"}, {"morning sign in", "sign-in"}, {"call support", "help"}, {"bank server down", "bank-91"}, {"dormant account", "bank-M3"},
		{"money debited but cash not received", "money-cut"}, {"thumb does not match", "finger"}, {"paper finished", "printer"}, {"fraud", "bank-59"},
		{"paisa kat gaya", "money-cut"}, {"उँगली नहीं पढ़ी", "finger"}, {"dabbu cheraledu", "not-arrived"},
	},
	"hi": {
		{"उँगली नहीं पढ़ी", "finger"}, {"पैसा कट गया", "money-cut"}, {"ओटीपी नहीं आया", "otp"}, {"इंटरनेट नहीं", "offline"}, {"रसीद नहीं छप रही", "printer"},
		{"पिन भूल गया", "forgot-pin"}, {"नकद कम है", "drawer"}, {"पैसे भेजना", "dmt"}, {"मशीन नहीं चल रही", "reader"}, {"पैसा नहीं पहुँचा", "not-arrived"},
		{"paisa kat gaya", "money-cut"}, {"paise kat gaye cash nahi mila", "money-cut"}, {"otp nahi aaya", "otp"}, {"otp", "otp"}, {"ungli nahi padhi", "finger"},
		{"angutha nahi lag raha", "finger"}, {"net nahi chal raha", "offline"}, {"pin bhul gaya", "forgot-pin"}, {"finger not read", "finger"}, {"print nahi ho raha", "printer"},
		{"khate me paisa nahi", "bank-51"}, {"paisa nikalna", "withdrawal"}, {"hisab nahi mil raha", "drawer"}, {"paise bhejna", "dmt"},
	},
	"mr": {
		{"बोट वाचत नाही", "finger"}, {"पैसे कापले", "money-cut"}, {"ओटीपी आला नाही", "otp"}, {"नेट नाही", "offline"}, {"पावती छापत नाही", "printer"},
		{"पिन विसरलो", "forgot-pin"}, {"रीडर दिसत नाही", "reader"}, {"पैसे पाठवणे", "dmt"}, {"पैसे पोहोचले नाहीत", "not-arrived"}, {"हिशोब जुळत नाही", "drawer"},
		{"paise kaple", "money-cut"}, {"bot ghet nahi", "finger"}, {"otp ala nahi", "otp"}, {"printer", "printer"},
	},
	"bn": {
		{"আঙুল পড়ছে না", "finger"}, {"টাকা কেটে গেছে", "money-cut"}, {"ওটিপি আসেনি", "otp"}, {"ইন্টারনেট নেই", "offline"}, {"রসিদ ছাপছে না", "printer"},
		{"পিন ভুলে গেছি", "forgot-pin"}, {"মেশিন চলছে না", "reader"}, {"টাকা পাঠানো", "dmt"}, {"টাকা পৌঁছয়নি", "not-arrived"}, {"হিসাব মিলছে না", "drawer"},
		{"taka kete geche", "money-cut"}, {"angul porche na", "finger"}, {"otp aseni", "otp"}, {"no cash money cut", "money-cut"},
	},
	"ta": {
		{"விரல் படிக்கவில்லை", "finger"}, {"பணம் பிடிக்கப்பட்டது", "money-cut"}, {"ஓடிபி வரவில்லை", "otp"}, {"இணையம் இல்லை", "offline"}, {"ரசீது வரவில்லை", "printer"},
		{"பின் மறந்துவிட்டது", "forgot-pin"}, {"கருவி தெரியவில்லை", "reader"}, {"பணம் அனுப்ப", "dmt"}, {"பணம் சேரவில்லை", "not-arrived"}, {"ரொக்கம் குறைவு", "drawer"},
		{"panam pidichitanga", "money-cut"}, {"viral padikkala", "finger"}, {"otp varala", "otp"}, {"finger not read", "finger"},
	},
	"te": {
		{"వేలు చదవడం లేదు", "finger"}, {"డబ్బు కట్ అయింది", "money-cut"}, {"ఓటీపీ రాలేదు", "otp"}, {"ఇంటర్నెట్ లేదు", "offline"}, {"రసీదు రావడం లేదు", "printer"},
		{"పిన్ మర్చిపోయాను", "forgot-pin"}, {"మెషిన్ పని చేయడం లేదు", "reader"}, {"డబ్బు పంపడం", "dmt"}, {"డబ్బు చేరలేదు", "not-arrived"}, {"లెక్క సరిపోలేదు", "drawer"},
		{"dabbu cut ayindi", "money-cut"}, {"velu chadavadam ledu", "finger"}, {"otp raledu", "otp"}, {"reader not found", "reader"},
	},
}

// testLibrary returns the library as the program makes it.
func testLibrary(t *testing.T) (*Pages, *library) {
	t.Helper()
	h := New("")
	uitest.Serve(t, uitest.NewCounter(), h)
	l, err := h.library()
	if err != nil {
		t.Fatal(err)
	}
	return h, l
}

func TestQuestions(t *testing.T) {
	h, l := testLibrary(t)
	for _, language := range i18n.Languages() {
		w := h.kit.Book().Localizer(language.Code)
		for _, q := range questions[language.Code] {
			found := h.find(w, l, q.typed)
			if len(found) == 0 || !strings.HasSuffix(found[0].Href, "#"+q.first) {
				t.Errorf("%s: %q finds %+v, want %s first", language.Code, q.typed, found, q.first)
			}
			for _, a := range found {
				if a.Title == "" || a.Text == "" {
					t.Errorf("%s: %q finds %+v, which says nothing", language.Code, q.typed, a)
				}
			}
		}
	}
}

// Each question finds its article also with one letter left out, doubled, or exchanged with
// the next, in its longest word.
func TestMisspelt(t *testing.T) {
	_, l := testLibrary(t)
	for code, all := range questions {
		for _, q := range all {
			words := strings.Fields(q.typed)
			longest := slices.MaxFunc(words, func(a, b string) int { return len([]rune(a)) - len([]rune(b)) })
			letters := []rune(longest)
			if compared := search.Words(longest); len(compared) != 1 || len([]rune(compared[0])) < 5 {
				continue
			}
			for i := 1; i < len(letters)-1; i++ {
				for _, wrong := range [][]rune{
					slices.Concat(letters[:i], letters[i+1:]),
					slices.Concat(letters[:i], []rune{letters[i], letters[i]}, letters[i+1:]),
					slices.Concat(letters[:i], []rune{letters[i+1], letters[i]}, letters[i+2:]),
				} {
					typed := strings.Replace(q.typed, longest, string(wrong), 1)
					if found := l.index.Find(typed, 3); !slices.Contains(found, q.first) {
						t.Errorf("%s: %q finds %q, want %s", code, typed, found, q.first)
					}
				}
			}
		}
	}
}

// Every question of the guide has words of each language.
func TestTyped(t *testing.T) {
	_, l := testLibrary(t)
	for _, language := range i18n.Languages() {
		words, err := readTyped(language.Code)
		if err != nil {
			t.Fatal(err)
		}
		named := map[string]int{}
		for _, w := range words {
			named[w.name]++
		}
		for _, a := range l.guides[language.Code].Articles() {
			if a.ID != "questions" && named[a.ID] != 1 {
				t.Errorf("words/%s.txt has %d lines of %s, want 1", language.Code, named[a.ID], a.ID)
			}
		}
	}
}

func BenchmarkLibrary(b *testing.B) {
	h := New("")
	uitest.Serve(b, uitest.NewCounter(), h)
	for b.Loop() {
		if _, err := h.newLibrary(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkFind(b *testing.B) {
	h := New("")
	uitest.Serve(b, uitest.NewCounter(), h)
	l, err := h.library()
	if err != nil {
		b.Fatal(err)
	}
	w := h.kit.Book().Localizer(i18n.English)
	for b.Loop() {
		h.find(w, l, "money cut no cash finger")
	}
}

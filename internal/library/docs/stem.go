package docs

import (
	"bytes"
	"slices"
	"strings"
)

// stem reduces an English word in lower case to its stem, in place, as Porter's second algorithm
// ("Porter2", see https://snowballstem.org/algorithms/english/stemmer.html) describes. Words with
// characters other than a to z are not changed, but a version is a number: v3.7 is 3.7.
func stem(w []byte) []byte {
	if len(w) <= 2 {
		return w
	}
	if w[0] == 'v' && classes[w[1]] == digit && bytes.IndexByte(w, '.') > 0 {
		return w[1:]
	}
	for _, c := range w {
		if c < 'a' || c > 'z' {
			return w
		}
	}
	if s, ok := irregular[string(w)]; ok {
		return append(w[:0], s...)
	}
	for i, c := range w { // a "y" that is a consonant is written "Y"
		if c == 'y' && (i == 0 || vowel(w[i-1])) {
			w[i] = 'Y'
		}
	}
	r1 := region(w, 0)
	for _, prefix := range []string{"gener", "commun", "arsen"} {
		if bytes.HasPrefix(w, []byte(prefix)) {
			r1 = len(prefix)
		}
	}
	r2 := region(w, r1)
	w = plural(w)
	if !final[string(w)] {
		w = past(w, r1)
		if n := len(w); n > 2 && (w[n-1] == 'y' || w[n-1] == 'Y') && !vowel(w[n-2]) {
			w[n-1] = 'i'
		}
		for i := range derivations {
			w = derive(w, derivations[i], r1, r2)
		}
		w = lastLetter(w, r1, r2)
	}
	for i, c := range w {
		if c == 'Y' {
			w[i] = 'y'
		}
	}
	return w
}

var irregular = map[string]string{
	"skis": "ski", "skies": "sky", "dying": "die", "lying": "lie", "tying": "tie", "idly": "idl", "gently": "gentl",
	"ugly": "ugli", "early": "earli", "only": "onli", "singly": "singl", "sky": "sky", "news": "news", "howe": "howe",
	"atlas": "atlas", "cosmos": "cosmos", "bias": "bias", "andes": "andes",
}

// final lists the words that need no step after the plural is removed.
var final = set("inning outing canning herring earring proceed exceed succeed")

func vowel(c byte) bool {
	// A bit for each letter; the letter a has the lowest.
	const vowels = 1 | 1<<('e'-'a') | 1<<('i'-'a') | 1<<('o'-'a') | 1<<('u'-'a') | 1<<('y'-'a')
	return 'a' <= c && c <= 'z' && vowels>>(c-'a')&1 != 0
}

// region returns the offset after the first consonant that follows a vowel, starting at from.
func region(w []byte, from int) int {
	for i := from + 1; i < len(w); i++ {
		if !vowel(w[i]) && vowel(w[i-1]) {
			return i + 1
		}
	}
	return len(w)
}

func hasVowel(w []byte) bool { return slices.ContainsFunc(w, vowel) }

func ends(w []byte, suffix string) bool {
	return len(w) >= len(suffix) && string(w[len(w)-len(suffix):]) == suffix
}

// short reports whether w ends in a short syllable.
func short(w []byte) bool {
	n := len(w)
	switch {
	case n == 2:
		return vowel(w[0]) && !vowel(w[1])
	case n > 2:
		return !vowel(w[n-3]) && vowel(w[n-2]) && !vowel(w[n-1]) && strings.IndexByte("wxY", w[n-1]) < 0
	}
	return false
}

// plural is step 1a.
func plural(w []byte) []byte {
	n := len(w)
	switch {
	case ends(w, "sses"):
		return w[:n-2]
	case ends(w, "ied"), ends(w, "ies"):
		if n > 4 {
			return w[:n-2]
		}
		return w[:n-1]
	case ends(w, "us"), ends(w, "ss"):
	case ends(w, "s") && hasVowel(w[:n-2]):
		return w[:n-1]
	}
	return w
}

// past is step 1b.
func past(w []byte, r1 int) []byte {
	for _, suffix := range []string{"eedly", "ingly", "edly", "eed", "ing", "ed"} {
		if !ends(w, suffix) {
			continue
		}
		cut := len(w) - len(suffix)
		if strings.HasPrefix(suffix, "eed") {
			if cut >= r1 {
				return w[:cut+2]
			}
			return w
		}
		if !hasVowel(w[:cut]) {
			return w
		}
		w = w[:cut]
		switch {
		case ends(w, "at"), ends(w, "bl"), ends(w, "iz"):
			return append(w, 'e')
		case cut >= 2 && w[cut-1] == w[cut-2] && strings.IndexByte("bdfgmnprt", w[cut-1]) >= 0:
			return w[:cut-1]
		case r1 >= cut && short(w):
			return append(w, 'e')
		}
		return w
	}
	return w
}

// A Derivation is a suffix that a step of the stemmer replaces. The longest suffix that matches applies; it is first in the
// list.
type Derivation struct {
	Suffix, With string
	Behind       string // one of these letters must precede the suffix; any letter if empty
	Second       bool   // the suffix must lie in the second region instead of the first
}

// derivations are the steps 2, 3 and 4.
var derivations = [...][]Derivation{{
	{Suffix: "ization", With: "ize"}, {Suffix: "ational", With: "ate"}, {Suffix: "fulness", With: "ful"},
	{Suffix: "ousness", With: "ous"}, {Suffix: "iveness", With: "ive"}, {Suffix: "tional", With: "tion"},
	{Suffix: "biliti", With: "ble"}, {Suffix: "lessli", With: "less"}, {Suffix: "entli", With: "ent"},
	{Suffix: "ation", With: "ate"}, {Suffix: "alism", With: "al"}, {Suffix: "aliti", With: "al"},
	{Suffix: "ousli", With: "ous"}, {Suffix: "iviti", With: "ive"}, {Suffix: "fulli", With: "ful"},
	{Suffix: "enci", With: "ence"}, {Suffix: "anci", With: "ance"}, {Suffix: "abli", With: "able"},
	{Suffix: "izer", With: "ize"}, {Suffix: "ator", With: "ate"}, {Suffix: "alli", With: "al"},
	{Suffix: "bli", With: "ble"}, {Suffix: "ogi", With: "og", Behind: "l"}, {Suffix: "li", Behind: "cdeghkmnrt"},
}, {
	{Suffix: "ational", With: "ate"}, {Suffix: "tional", With: "tion"}, {Suffix: "alize", With: "al"},
	{Suffix: "icate", With: "ic"}, {Suffix: "iciti", With: "ic"}, {Suffix: "ative", Second: true},
	{Suffix: "ical", With: "ic"}, {Suffix: "ness"}, {Suffix: "ful"},
}, {
	{Suffix: "ement", Second: true}, {Suffix: "ance", Second: true}, {Suffix: "ence", Second: true},
	{Suffix: "able", Second: true}, {Suffix: "ible", Second: true}, {Suffix: "ment", Second: true},
	{Suffix: "ant", Second: true}, {Suffix: "ent", Second: true}, {Suffix: "ism", Second: true},
	{Suffix: "ate", Second: true}, {Suffix: "iti", Second: true}, {Suffix: "ous", Second: true},
	{Suffix: "ive", Second: true}, {Suffix: "ize", Second: true}, {Suffix: "ion", Second: true, Behind: "st"},
	{Suffix: "al", Second: true}, {Suffix: "er", Second: true}, {Suffix: "ic", Second: true},
}}

func derive(w []byte, rules []Derivation, r1, r2 int) []byte {
	for i := range rules {
		d := &rules[i]
		if !ends(w, d.Suffix) {
			continue
		}
		cut := len(w) - len(d.Suffix)
		if cut < r1 || d.Second && cut < r2 || d.Behind != "" && (cut == 0 || strings.IndexByte(d.Behind, w[cut-1]) < 0) {
			return w
		}
		return append(w[:cut], d.With...)
	}
	return w
}

// lastLetter is step 5.
func lastLetter(w []byte, r1, r2 int) []byte {
	cut := len(w) - 1
	switch {
	case cut < 0:
	case w[cut] == 'e' && (cut >= r2 || cut >= r1 && !short(w[:cut])):
		return w[:cut]
	case w[cut] == 'l' && cut >= r2 && cut > 0 && w[cut-1] == 'l':
		return w[:cut]
	}
	return w
}

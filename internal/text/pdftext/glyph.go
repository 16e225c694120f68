package pdftext

import (
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// glyphNames are names of glyphs with their characters in hexadecimal: Latin and Greek letters, punctuation and
// ligatures from the Adobe Glyph List, and mathematical signs from the list of TeX. Letters with accents are composed. The
// list of the library has 4281 names, most of them for scripts whose fonts have maps, and takes 218 KB when the program starts.
const glyphNames = `
space 20 exclam 21 quotedbl 22 numbersign 23 dollar 24 percent 25 ampersand 26 quotesingle 27
parenleft 28 parenright 29 asterisk 2a plus 2b comma 2c hyphen 2d period 2e slash 2f zero 30 one 31
two 32 three 33 four 34 five 35 six 36 seven 37 eight 38 nine 39 colon 3a semicolon 3b less 3c
equal 3d greater 3e question 3f at 40 bracketleft 5b backslash 5c bracketright 5d asciicircum 5e
underscore 5f grave 60 braceleft 7b bar 7c verticalbar 7c braceright 7d asciitilde 7e nbspace a0
exclamdown a1 cent a2 sterling a3 currency a4 yen a5 brokenbar a6 section a7 dieresis a8
copyright a9 ordfeminine aa guillemotleft ab logicalnot ac softhyphen ad registered ae macron af
degree b0 plusminus b1 twosuperior b2 threesuperior b3 acute b4 mu b5 paragraph b6 periodcentered b7
cedilla b8 onesuperior b9 ordmasculine ba guillemotright bb onequarter bc onehalf bd
threequarters be questiondown bf AE c6 Eth d0 multiply d7 Oslash d8 Thorn de germandbls df ae e6
eth f0 divide f7 oslash f8 thorn fe Dcroat 110 Dslash 110 dcroat 111 dmacron 111 Hbar 126 hbar 127
dotlessi 131 IJ 132 ij 133 Ldot 13f Ldotaccent 13f ldot 140 ldotaccent 140 Lslash 141 lslash 142
Eng 14a eng 14b OE 152 oe 153 Tbar 166 tbar 167 longs 17f florin 192 circumflex 2c6 caron 2c7
breve 2d8 dotaccent 2d9 ring 2da ogonek 2db tilde 2dc hungarumlaut 2dd Alpha 391 Beta 392 Gamma 393
Epsilon 395 Zeta 396 Eta 397 Theta 398 Iota 399 Kappa 39a Lambda 39b Mu 39c Nu 39d Xi 39e
Omicron 39f Pi 3a0 Rho 3a1 Sigma 3a3 Tau 3a4 Upsilon 3a5 Phi 3a6 Chi 3a7 Psi 3a8 alpha 3b1 beta 3b2
gamma 3b3 delta 3b4 epsilon 3b5 zeta 3b6 eta 3b7 theta 3b8 iota 3b9 kappa 3ba lambda 3bb nu 3bd
xi 3be omicron 3bf pi 3c0 rho 3c1 sigmafinal 3c2 sigma 3c3 tau 3c4 upsilon 3c5 phi 3c6 chi 3c7
psi 3c8 omega 3c9 endash 2013 emdash 2014 quoteleft 2018 quoteright 2019 quotesinglbase 201a
quotedblleft 201c quotedblright 201d quotedblbase 201e dagger 2020 daggerdbl 2021 bullet 2022
ellipsis 2026 perthousand 2030 minute 2032 second 2033 guilsinglleft 2039 guilsinglright 203a
overline 203e fraction 2044 Euro 20ac trademark 2122 arrowleft 2190 arrowup 2191 arrowright 2192
arrowdown 2193 forall 2200 universal 2200 partialdiff 2202 existential 2203 thereexists 2203
Delta 2206 increment 2206 product 220f summation 2211 minus 2212 radical 221a infinity 221e
intersection 2229 integral 222b approxequal 2248 notequal 2260 equivalence 2261 lessequal 2264
greaterequal 2265 filledbox 25a0 blacksquare 25a0 lozenge 25ca blackcircle 25cf checkmark 2713
ff fb00 fi fb01 fl fb02 ffi fb03 ffl fb04 Omega 3a9 asteriskmath 2217 diamondmath 22c4
minusplus 2213 circleplus 2295 circleminus 2296 circlemultiply 2297 circledivide 2298 circledot 2299
circlecopyrt 25ef openbullet 25e6 equivasymptotic 224d reflexsubset 2286 reflexsuperset 2287
precedesequal 227c followsequal 227d similar 223c similarequal 2243 congruent 2245 propersubset 2282
propersuperset 2283 notsubset 2284 lessmuch 226a greatermuch 226b precedes 227a follows 227b
arrowboth 2194 arrownortheast 2197 arrowsoutheast 2198 arrownorthwest 2196 arrowsouthwest 2199
arrowdblleft 21d0 arrowdblup 21d1 arrowdblright 21d2 arrowdbldown 21d3 arrowdblboth 21d4
arrowbothv 2195 arrowdblbothv 21d5 mapsto 21a6 proportional 221d prime 2032 element 2208
notelement 2209 owner 220b suchthat 220b triangle 25b3 triangleinv 25bd negationslash 338
emptyset 2205 Rfractur 211c Rfraktur 211c Ifractur 2111 Ifraktur 2111 latticetop 22a4
perpendicular 22a5 aleph 2135 union 222a unionmulti 228e unionsq 2294 intersectionsq 2293
subsetsqequal 2291 supersetsqequal 2292 logicaland 2227 logicalor 2228 turnstileleft 22a2
turnstileright 22a3 floorleft 230a floorright 230b ceilingleft 2308 ceilingright 2309
angbracketleft 27e8 angbracketright 27e9 angleleft 27e8 angleright 27e9 bardbl 2225
vextendsingle 2223 vextenddouble 2225 angle 2220 wreathproduct 2240 coproduct 2210 nabla 2207
gradient 2207 contintegral 222e therefore 2234 dotmath 22c5 club 2663 diamond 2662 heart 2661
spade 2660 epsilon1 3f5 theta1 3d1 pi1 3d6 omega1 3d6 rho1 3f1 sigma1 3c2 phi1 3d5 Upsilon1 3d2
arrowlefttophalf 21bc arrowleftbothalf 21bd arrowrighttophalf 21c0 arrowrightbothalf 21c1
triangleright 25b9 triangleleft 25c3 star 22c6 flat 266d natural 266e sharp 266f slurbelow 2323
slurabove 2322 lscript 2113 weierstrass 2118 dotlessj 237 vector 20d7 tie 2040 visiblespace 2423
parenlefttp 239b parenleftex 239c parenleftbt 239d parenrighttp 239e parenrightex 239f
parenrightbt 23a0 bracketlefttp 23a1 bracketleftex 23a2 bracketleftbt 23a3 bracketrighttp 23a4
bracketrightex 23a5 bracketrightbt 23a6 bracelefttp 23a7 braceleftmid 23a8 braceleftbt 23a9
bracerighttp 23ab bracerightmid 23ac bracerightbt 23ad braceex 23aa arrowhookleft 21aa
arrowhookright 21a9 permil 2030
`

// accents maps the names of accents to characters that combine with the letter before them.
var accents = map[string]string{
	"": "", "grave": "\u0300", "acute": "\u0301", "circumflex": "\u0302", "tilde": "\u0303", "macron": "\u0304", "breve": "\u0306", "dot": "\u0307", "dotaccent": "\u0307",
	"dieresis": "\u0308", "ring": "\u030a", "hungarumlaut": "\u030b", "dblacute": "\u030b", "caron": "\u030c", "cedilla": "\u0327", "commaaccent": "\u0327", "ogonek": "\u0328",
}

// glyphs maps names to characters. It is made at its first use.
var glyphs = sync.OnceValue(func() map[string]rune {
	words := strings.Fields(glyphNames)
	list := make(map[string]rune, len(words)/2)
	for i := 0; i+1 < len(words); i += 2 {
		if n, err := strconv.ParseUint(words[i+1], 16, 32); err == nil {
			list[words[i]] = rune(n)
		}
	}
	return list
})

// glyph returns the text of a glyph by its name, as the Adobe Glyph List Specification defines it: a
// part after a dot does not count, parts between underscores are characters of a ligature, and
// "uni" and "u" come before numbers. Mathematical fonts of TeX have some signs in several sizes.
func glyph(name string) string {
	name, _, _ = strings.Cut(name, ".")
	var b strings.Builder
	for part := range strings.SplitSeq(name, "_") {
		if r, ok := glyphs()[part]; ok {
			b.WriteRune(r)
			continue
		}
		for _, size := range []string{"big", "Big", "bigg", "Bigg", "text", "display", "wide", "wider", "widest"} {
			if smaller, found := strings.CutSuffix(part, size); found {
				if r, ok := glyphs()[smaller]; ok {
					b.WriteRune(r)
				}
			}
		}
		if accent, ok := accents[part[min(len(part), 1):]]; ok {
			b.WriteString(norm.NFC.String(part[:min(len(part), 1)] + accent))
			continue
		}
		digits, ok := strings.CutPrefix(part, "uni")
		if !ok {
			digits, ok = strings.CutPrefix(part, "u")
		}
		if n, err := strconv.ParseUint(digits, 16, 32); ok && err == nil && len(digits) >= 4 && utf8.ValidRune(rune(n)) {
			b.WriteRune(rune(n))
		}
	}
	return b.String()
}

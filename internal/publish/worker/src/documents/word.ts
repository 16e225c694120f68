import { bytesOf, lowerOf, runeAt, textOf } from '../text.ts'

// The words of texts, as in internal/text/analysis. Texts and words are strings of bytes.

// The maximum length of a word in characters.
export const maxWord = 64

const small = 1
const capital = 2
const digit = 4

const classes = new Uint8Array(256)
for (let c = 0; c < 26; c++) {
  classes[97 + c] = small
  classes[65 + c] = capital
}
for (let c = 48; c < 58; c++) classes[c] = digit

function classOf(code: number): number {
  if (code < 0x80) return classes[code] as number
  const character = String.fromCodePoint(code)
  if (/\p{Lu}/u.test(character)) return capital
  if (/\p{Nd}/u.test(character)) return digit
  return /[\p{L}\p{M}]/u.test(character) ? small : 0
}

const isInWord = (code: number): boolean => classOf(code) !== 0

// spaceless reports whether a character belongs to a script without spaces between words.
export function spaceless(r: number): boolean {
  return (
    r >= 0x0e00 &&
    (r <= 0x0eff || // Thai, Lao
      (r >= 0x1000 && r <= 0x109f) ||
      (r >= 0x1780 && r <= 0x17ff) || // Myanmar, Khmer
      (r >= 0x3040 && r <= 0x30ff && r !== 0x30fb) || // Hiragana, Katakana
      (r >= 0x3400 && r <= 0x9fff) ||
      (r >= 0xac00 && r <= 0xd7af) ||
      (r >= 0xf900 && r <= 0xfaff) ||
      (r >= 0x20000 && r <= 0x3ffff))
  )
}

// runeOf returns a character as bytes.
export const runeOf = (code: number): string => (code < 0x80 ? String.fromCharCode(code) : bytesOf(String.fromCodePoint(code)))

type Yield = (word: string, offset: number, end: number) => void

// words calls yield with each word of a text, folded, and with its place. A word with marks comes twice: folded, and then only in lower case.
export function words(text: string, yieldWord: Yield): void {
  for (let i = 0; i < text.length; ) {
    const c = text.charCodeAt(i)
    if (c < 0x80) {
      i = classes[c] === 0 ? i + 1 : run(text, i, yieldWord)
      continue
    }
    const [r, size] = runeAt(text, i)
    if (spaceless(r)) i = pairs(text, i, yieldWord)
    else i = isInWord(r) ? run(text, i, yieldWord) : i + size
  }
}

// pairs yields each pair of neighbouring characters of a script without spaces, or a single character.
function pairs(text: string, from: number, yieldWord: Yield): number {
  let last = from
  let i = from
  let n = 0
  while (i < text.length) {
    const [r, size] = runeAt(text, i)
    if (!spaceless(r)) break
    if (n > 0) yieldWord(text.slice(last, i + size), last, i + size)
    last = i
    i += size
    n++
  }
  if (n === 1) yieldWord(text.slice(last, i), last, i)
  return i
}

// run yields the parts of an identifier, and then the whole identifier if it has several parts.
function run(text: string, begin: number, yieldWord: Yield): number {
  let i = begin
  let offset = begin
  let parts = 0
  let whole = ''
  let part = ''
  let exact = '' // with its marks
  let [length, total] = [0, 0] // characters of part and whole
  const flush = (next: number): void => {
    if (length > 0 && length <= maxWord) {
      yieldWord(part, offset, i)
      parts++
    }
    part = ''
    offset = next
    length = 0
  }
  let [marked, joins] = [false, false] // joins: marks of the script of the last letter are left out
  const ascii = (index: number): number => (index < text.length ? (classes[text.charCodeAt(index)] as number) : 0)
  let last = 0 // class of the previous character
  while (i < text.length) {
    let r = text.charCodeAt(i)
    let size = 1
    if (r >= 0x80) {
      ;[r, size] = runeAt(text, i)
      if (spaceless(r)) break
    }
    const c = classOf(r)
    if (isInvisible(r) || (joins && r >= 0x300 && r < 0x370)) {
      marked ||= c !== 0
      if (c !== 0 && total <= maxWord) exact += runeOf(r)
      i += size
      continue
    }
    if (c === 0) {
      const next = ascii(i + 1)
      if ((r === 0x5f || r === 0x2d) && next !== 0) {
        i++
        flush(i)
        last = 0
        continue
      }
      if (r === 0x2e && last === digit && next === digit) {
        part += '.'
        if (total <= maxWord) [whole, exact] = [`${whole}.`, `${exact}.`]
        length++
        total++
        i++
        continue
      }
      if (r === 0x27 || r === 0x2019) i = ending(text, i + size)
      break
    }
    if (c === capital) {
      const after = ascii(i + 1)
      if (last === small || (last === digit && part.length > 0 && after === small) || (last === capital && after === small)) flush(i)
      r = lowerOf(String.fromCodePoint(r)).codePointAt(0) as number
    }
    last = c
    const letter = runeOf(r)
    const folded = r < 0x80 ? letter : fold(r)
    joins = r < 0x80 || folded !== ''
    marked ||= joins && folded !== letter
    if (length <= maxWord) part += folded || letter
    if (total <= maxWord) {
      whole += folded || letter
      exact += letter
    }
    length++
    total++
    i += size
  }
  flush(i)
  if (total > maxWord) return i
  if (parts > 1) yieldWord(whole, begin, i)
  else if (marked && parts === 1) yieldWord(bytesOf(textOf(exact).normalize('NFC')), begin, i)
  return i
}

// ending skips an apostrophe and its ending: "'s", "'t", "'re".
function ending(text: string, i: number): number {
  let n = i
  while (n < text.length && classes[text.charCodeAt(n)] === small) n++
  return n - i <= 2 ? n : i
}

// isInvisible reports whether a character inside a word makes no other word: soft hyphens, characters without width, and the points of Arabic
// and Hebrew.
const isInvisible = (r: number): boolean =>
  r >= 0xad && /[\u00ad\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670\u200b-\u200d\u2060\ufeff]/.test(String.fromCodePoint(r))

const others: { [letter: string]: string } = { ß: 'ss', ø: 'o', ł: 'l', æ: 'ae', œ: 'oe', đ: 'd', ı: 'i', ς: 'σ' }
const folds = new Map<number, string>()

// fold returns a small letter without its marks if it is Latin, Greek or Cyrillic, or else nothing: in other scripts, marks make other words.
function fold(r: number): string {
  let folded = folds.get(r)
  if (folded === undefined) {
    const letter = String.fromCodePoint(r)
    const known = r < 0x2000 && /\p{L}/u.test(letter) && /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]/u.test(letter)
    folded = known ? bytesOf(others[letter] ?? letter.normalize('NFD').replace(/\p{Mn}/gu, '')) : ''
    folds.set(r, folded)
  }
  return folded
}

// The stems of English words: Porter's second algorithm, as in internal/text/analysis.

// pairs reads words or suffixes with their replacements.
const pairs = (text: string): [string, string][] => text.split(' ').map((pair) => pair.split(':') as [string, string])

// Words with their stems.
const irregular = new Map(
  pairs('andes:andes atlas:atlas bias:bias cosmos:cosmos dying:die early:earli gently:gentl howe:howe idly:idl lying:lie news:news only:onli singly:singl skies:sky skis:ski sky:sky tying:tie ugly:ugli'),
)

// Words that need no step after the plural is removed.
const final = new Set('canning earring exceed herring inning outing proceed succeed'.split(' '))

// The suffixes of the steps 2, 3 and 4. In each step, the longest suffix that matches is first.
const derivations = [
  pairs(
    'ization:ize ational:ate fulness:ful ousness:ous iveness:ive tional:tion biliti:ble lessli:less entli:ent ation:ate alism:al aliti:al ousli:ous iviti:ive fulli:ful enci:ence anci:ance abli:able izer:ize ator:ate alli:al bli:ble ogi:og li:',
  ),
  pairs('ational:ate tional:tion alize:al icate:ic iciti:ic ative: ical:ic ness: ful:'),
  pairs('ement: ance: ence: able: ible: ment: ant: ent: ism: ate: iti: ous: ive: ize: ion: al: er: ic:'),
]

// Suffixes that one of these letters must precede.
const behind: { [suffix: string]: string } = { ogi: 'l', li: 'cdeghkmnrt', ion: 'st' }

const isVowel = (c: string | undefined): boolean => c !== undefined && c !== '' && 'aeiouy'.includes(c)
const hasVowel = (w: string): boolean => /[aeiouy]/.test(w)

// region returns the offset after the first consonant that follows a vowel.
function region(w: string, from: number): number {
  for (let i = from + 1; i < w.length; i++) if (!isVowel(w[i]) && isVowel(w[i - 1])) return i + 1
  return w.length
}

// isShort reports whether a word ends in a short syllable.
function isShort(w: string): boolean {
  const n = w.length
  if (n === 2) return isVowel(w[0]) && !isVowel(w[1])
  return n > 2 && !isVowel(w[n - 3]) && isVowel(w[n - 2]) && !isVowel(w[n - 1]) && !'wxY'.includes(w[n - 1] as string)
}

// stem reduces an English word in lower case to its stem. It returns words with other characters than a to z unchanged, but
// a version is a number: v3.7 is 3.7.
export function stem(word: string): string {
  if (/^v[0-9].*\./s.test(word)) return word.slice(1)
  if (word.length <= 2 || !/^[a-z]+$/.test(word)) return word
  const known = irregular.get(word)
  if (known !== undefined) return known
  let w = ''
  for (let i = 0; i < word.length; i++) {
    const c = word[i] as string
    w += c === 'y' && (i === 0 || isVowel(w[i - 1])) ? 'Y' : c // a consonant
  }
  let r1 = region(w, 0)
  for (const prefix of ['gener', 'commun', 'arsen']) if (w.startsWith(prefix)) r1 = prefix.length
  const r2 = region(w, r1)
  w = plural(w)
  if (!final.has(w)) {
    w = past(w, r1)
    const n = w.length
    if (n > 2 && (w[n - 1] === 'y' || w[n - 1] === 'Y') && !isVowel(w[n - 2])) w = `${w.slice(0, -1)}i`
    for (const [i, rules] of derivations.entries()) w = derive(w, rules, i === 2 || (i === 1 && w.endsWith('ative')) ? r2 : r1)
    w = lastLetter(w, r1, r2)
  }
  return w.replaceAll('Y', 'y')
}

// plural is step 1a.
function plural(w: string): string {
  const n = w.length
  if (w.endsWith('sses')) return w.slice(0, -2)
  if (w.endsWith('ied') || w.endsWith('ies')) return w.slice(0, n > 4 ? -2 : -1)
  if (w.endsWith('us') || w.endsWith('ss')) return w
  return w.endsWith('s') && hasVowel(w.slice(0, -2)) ? w.slice(0, -1) : w
}

// past is step 1b.
function past(w: string, r1: number): string {
  for (const suffix of ['eedly', 'ingly', 'edly', 'eed', 'ing', 'ed']) {
    if (!w.endsWith(suffix)) continue
    const start = w.length - suffix.length
    if (suffix.startsWith('eed')) return start >= r1 ? w.slice(0, start + 2) : w
    const base = w.slice(0, start)
    if (!hasVowel(base)) return w
    if (/(?:at|bl|iz)$/.test(base)) return `${base}e`
    if (start >= 2 && base[start - 1] === base[start - 2] && 'bdfgmnprt'.includes(base[start - 1] as string)) return base.slice(0, -1)
    return r1 >= start && isShort(base) ? `${base}e` : base
  }
  return w
}

// derive is the steps 2, 3 and 4: it replaces a suffix that begins in a region of the word.
function derive(w: string, rules: [string, string][], region: number): string {
  const [suffix, replacement] = rules.find(([suffix]) => w.endsWith(suffix)) ?? ['', '']
  const start = w.length - suffix.length
  const letters = behind[suffix]
  const fits = start >= region && (letters === undefined || (start > 0 && letters.includes(w[start - 1] as string)))
  return fits ? w.slice(0, start) + replacement : w
}

// lastLetter is step 5.
function lastLetter(w: string, r1: number, r2: number): string {
  const last = w.length - 1
  if (w[last] === 'e' && (last >= r2 || (last >= r1 && !isShort(w.slice(0, last))))) return w.slice(0, last)
  if (w[last] === 'l' && last >= r2 && last > 0 && w[last - 1] === 'l') return w.slice(0, last)
  return w
}

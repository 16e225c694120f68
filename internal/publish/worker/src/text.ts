// In this program, a text is a JavaScript string, and bytes are a string whose characters are bytes, because file names can be any bytes.
// Limits count bytes.

const encoder = new TextEncoder()

const isAscii = (s: string): boolean => !/[^\0-\x7f]/.test(s)

// bytesOf returns the bytes of a text in UTF-8.
export function bytesOf(text: string): string {
  return isAscii(text) ? text : latin(encoder.encode(text))
}

const most = 0x2000 // arguments of a call

// latin returns bytes as a string whose characters are bytes.
export function latin(data: Uint8Array): string {
  if (data.length <= most) return String.fromCharCode.apply(null, data as unknown as number[])
  let s = ''
  for (let i = 0; i < data.length; i += most) s += String.fromCharCode.apply(null, data.subarray(i, i + most) as unknown as number[])
  return s
}

// lengthOf returns the number of bytes of a text in UTF-8.
export const lengthOf = (text: string): number => (isAscii(text) ? text.length : encoder.encode(text).length)

export const RuneError = 0xfffd

// runeAt returns the character at an offset, and its number of bytes. A byte that is not UTF-8 counts as U+FFFD.
export function runeAt(bytes: string, i: number): [rune: number, size: number] {
  const c = bytes.charCodeAt(i)
  if (c < 0x80) return [c, 1]
  let need = 0
  let rune = 0
  let least = 0x80
  let most = 0xbf
  if (c >= 0xc2 && c <= 0xdf) [need, rune] = [1, c & 0x1f]
  else if (c >= 0xe0 && c <= 0xef) {
    ;[need, rune] = [2, c & 0x0f]
    if (c === 0xe0) least = 0xa0
    if (c === 0xed) most = 0x9f
  } else if (c >= 0xf0 && c <= 0xf4) {
    ;[need, rune] = [3, c & 0x07]
    if (c === 0xf0) least = 0x90
    if (c === 0xf4) most = 0x8f
  } else return [RuneError, 1]
  for (let k = 1; k <= need; k++) {
    const next = bytes.charCodeAt(i + k) // NaN after the end
    if (!(next >= least && next <= most)) return [RuneError, 1]
    rune = (rune << 6) | (next & 0x3f)
    least = 0x80
    most = 0xbf
  }
  return [rune, need + 1]
}

// cut shortens a text to at most n bytes, between characters.
export const cut = (text: string, n: number): string => (text.length * 3 <= n ? text : text.slice(0, encoder.encodeInto(text, new Uint8Array(n)).read))

const escapes: { [code: number]: string } = { 7: '\\a', 8: '\\b', 9: '\\t', 10: '\\n', 11: '\\v', 12: '\\f', 13: '\\r', 34: '\\"', 92: '\\\\' }
const hex = (n: number, width: number): string => n.toString(16).padStart(width, '0')

// quoted returns a text in quotes, as Go writes it. With ascii, it escapes all characters that are not ASCII.
export function quoted(text: string, ascii = false): string {
  let out = '"'
  for (const character of text) {
    const code = character.codePointAt(0) as number
    const escape = escapes[code]
    if (escape) out += escape
    else if (code >= 0x20 && code < 0x7f) out += character
    else if (code < 0x80) out += `\\x${hex(code, 2)}`
    else if (!ascii && /[\p{L}\p{M}\p{N}\p{P}\p{S}]/u.test(character)) out += character
    else if (code < 0x10000) out += `\\u${hex(code, 4)}`
    else out += `\\U${hex(code, 8)}`
  }
  return `${out}"`
}

// shown returns a client's text for a message, shortened if it is long.
export function shown(text: string): string {
  const short = cut(text, 200)
  return short === text ? quoted(text) : `${quoted(short)}…`
}

// lowerOf returns a text in lower case, character by character, as in Go, where a character does not depend on its neighbours.
export const lowerOf = (text: string): string =>
  text.replace(/[A-Z]+|[^\0-\x7f]/gu, (s) => (s < '\x80' ? s.toLowerCase() : String.fromCodePoint(s.toLowerCase().codePointAt(0) as number)))

// sameCase returns the same text for texts that differ only in case.
export const sameCase = (text: string): string => text.toUpperCase()

// textOf returns bytes as text, with U+FFFD for bytes that are not UTF-8.
export function textOf(bytes: string): string {
  if (!/[^\0-\x7f]/.test(bytes)) return bytes
  const data = new Uint8Array(bytes.length)
  for (let i = 0; i < bytes.length; i++) data[i] = bytes.charCodeAt(i)
  return decoder.decode(data)
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

// lower returns bytes in lower case.
export const lower = (bytes: string): string => bytesOf(lowerOf(textOf(bytes)))

// composed returns bytes in Unicode's form NFC.
export const composed = (bytes: string): string => (/[^\0-\x7f]/.test(bytes) ? bytesOf(textOf(bytes).normalize('NFC')) : bytes)

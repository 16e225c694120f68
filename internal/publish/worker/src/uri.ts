import { runeAt } from './text.ts'

// How URIs are spelled, as internal/text/uri has it. All strings are bytes.

export const maxLength = 64 << 10

const inSegment = /[A-Za-z0-9\-._~!$&'()*+,;=:@]/
const inHost = /[A-Za-z0-9\-._~!$&'()*+,;=]/

const table = (keep: RegExp): string[] =>
  Array.from({ length: 256 }, (_, c) => {
    const character = String.fromCharCode(c)
    return c < 0x80 && keep.test(character) ? character : `%${c.toString(16).toUpperCase().padStart(2, '0')}`
  })
const segments = table(inSegment)
const hosts = table(inHost)

const encode = (name: string, by: string[]): string => {
  let out = ''
  for (let i = 0; i < name.length; i++) out += by[name.charCodeAt(i)]
  return out
}

// segment encodes a name of a path.
export const segment = (name: string): string => encode(name, segments)

// host encodes a host.
export const host = (name: string): string => encode(name, hosts)

// decode decodes everything that is encoded. A per cent sign that begins no encoding stays.
export function decode(s: string): string {
  return s.includes('%') ? s.replace(/%[0-9A-Fa-f]{2}/g, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16))) : s
}

// split returns the scheme in lower case and the path without a slash at its end, or nothing for what is no URI.
export function split(decoded: string): [scheme: string, path: string] | undefined {
  const at = decoded.indexOf('://')
  if (at < 0 || !/^[A-Za-z][A-Za-z0-9+.\-]*$/.test(decoded.slice(0, at))) return undefined
  const path = decoded.slice(at + 3)
  return [decoded.slice(0, at).toLowerCase(), path.endsWith('/') ? path.slice(0, -1) : path]
}

// segmentsOf returns the scheme and the names of a decoded URI.
export function segmentsOf(decoded: string): string[] | undefined {
  const parts = split(decoded)
  if (!parts) return undefined
  const [scheme, path] = parts
  return path === '' ? [scheme] : [scheme, ...path.split('/')]
}

// canonical is the URI of a scheme and names.
export function canonical(names: string[]): string {
  const [scheme, ...path] = names
  return `${scheme}://${path.map((name, i) => (i === 0 ? host(name) : segment(name))).join('/')}`
}

// readings are the ways to decode what a client sent, the likeliest first.
export function* readings(s: string): Generator<string> {
  if (s.length > maxLength) return
  const once = decode(s)
  yield once
  let uncut = s
  for (const mark of ['#', '?']) {
    const i = uncut.indexOf(mark)
    if (i >= 0) {
      uncut = uncut.slice(0, i)
      yield decode(uncut)
    }
  }
  if (once === s) return
  yield s
  const twice = decode(once)
  if (twice !== once) yield twice
}

// display is a name as text: bytes that are not UTF-8 are encoded, and then per cent signs too.
export function display(name: string): string {
  let out = ''
  let encoded = ''
  let valid = true
  for (let i = 0; i < name.length; ) {
    const [rune, size] = runeAt(name, i)
    const bad = rune === 0xfffd && size === 1
    const character = bad ? `%${name.charCodeAt(i).toString(16).toUpperCase().padStart(2, '0')}` : String.fromCodePoint(rune)
    valid &&= !bad
    out += character
    encoded += character === '%' ? '%25' : character
    i += size
  }
  return valid ? out : encoded
}

// Spellings of URIs, as in internal/text/uri. All strings are bytes.

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

// decode decodes all percent-encoded bytes. Other per cent signs stay.
export function decode(s: string): string {
  return s.includes('%') ? s.replace(/%[0-9A-Fa-f]{2}/g, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16))) : s
}

// split returns the scheme in lower case and the path without a slash at its end. It returns undefined for a text that is not a URI.
export function split(decoded: string): [scheme: string, path: string] | undefined {
  const colon = decoded.indexOf('://')
  if (colon < 0 || !/^[A-Za-z][A-Za-z0-9+.\-]*$/.test(decoded.slice(0, colon))) return undefined
  const path = decoded.slice(colon + 3)
  return [decoded.slice(0, colon).toLowerCase(), path.endsWith('/') ? path.slice(0, -1) : path]
}

// segmentsOf returns the scheme and the names of a decoded URI.
export function segmentsOf(decoded: string): string[] | undefined {
  const parts = split(decoded)
  if (!parts) return undefined
  const [scheme, path] = parts
  return path === '' ? [scheme] : [scheme, ...path.split('/')]
}

// canonical returns the URI of a scheme and names.
export function canonical(names: string[]): string {
  const [scheme, ...path] = names
  return `${scheme}://${path.map((name, i) => (i === 0 ? host(name) : segment(name))).join('/')}`
}

// readings yields the possible decodings of a URI that a client sent, the likeliest first.
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

// The order of lists: by folder, with the resources of a folder before its subfolders, then by name. Names are compared as bytes.

function keyOf(canonical: string): string[] {
  if (canonical === '') return []
  const parts = split(decode(canonical))
  return parts ? [parts[0], ...parts[1].split('/')] : [canonical]
}

export function compare(a: string, b: string): number {
  return a === b ? 0 : compareKeys(keyOf(a), keyOf(b))
}

function compareKeys(a: string[], b: string[]): number {
  for (let i = 0; i < a.length && i < b.length; i++) {
    const lastA = i === a.length - 1
    const lastB = i === b.length - 1
    if (lastA !== lastB) return lastA ? -1 : 1
    const [nameA, nameB] = [a[i] as string, b[i] as string]
    if (nameA !== nameB) return nameA < nameB ? -1 : 1
  }
  return a.length - b.length
}

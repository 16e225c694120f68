// The URIs that the tests expect, written from the specifications and not from the server's code.
//
// A path is relative to resources/ and holds bytes: it is a "latin1" string with one character per byte, because file names need
// not be UTF-8.

// bytesOf returns the path of a name that is written as text.
export const bytesOf = (text) => Buffer.from(text, 'utf8').toString('latin1')

const triplet = (byte) => '%' + byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')

// canonical returns the URI of a path. Unreserved characters, sub-delimiters, ":" and "@" are not encoded (RFC 3986 section 3.3);
// in the host, ":" and "@" are.
export function canonical(path) {
  const [scheme, host = '', ...rest] = path.split('/')
  const encode = (name, more = '') => name.replace(/[^A-Za-z0-9\-._~!$&'()*+,;=:@]/g, triplet).replace(/[:@]/g, (c) => more.includes(c) ? triplet(c) : c)
  return `${scheme.toLowerCase()}://${[encode(host, ':@'), ...rest.map((name) => encode(name))].join('/')}`
}

// decode decodes the percent-encoding of a URI once. The result holds bytes.
export function decode(uri) {
  return bytesOf(uri).replace(/%([0-9A-Fa-f]{2})/g, (_, hex) => String.fromCharCode(parseInt(hex, 16)))
}

// text returns a path as JavaScript text, or undefined if it is not UTF-8.
export function text(path) {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(path, 'latin1'))
  } catch {
    return undefined
  }
}

// expand implements RFC 6570 for {x}, {+x}, {/x} and {/x*}. The value of an exploded variable may be a list.
export function expand(template, values) {
  return template.replace(/\{([+/]?)(\w+)(\*?)\}/g, (_, operator, name) => {
    const list = [values[name]].flat().map((value) => operator === '+' ? reserved(value) : unreserved(value))
    return operator === '/' ? '/' + list.join('/') : list.join(',')
  })
}

// variables returns the names of the variables in such a template.
export const variables = (template) => [...template.matchAll(/\{[+/]?(\w+)\*?\}/g)].map(([, name]) => name)

const unreserved = (value) => bytesOf(value).replace(/[^A-Za-z0-9\-._~]/g, triplet)
const reserved = (value) => bytesOf(value).replace(/%[0-9A-Fa-f]{2}|[^A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=]/g, (s) => s.length > 1 ? s : triplet(s))

// rewritings are the known changes that clients make to a canonical URI: [name, (uri) => string or undefined].
export const rewritings = [
  ['new URL(uri).href', (uri) => URL.canParse(uri) ? new URL(uri).href : undefined],
  ['a trailing slash', (uri) => uri + '/'],
  ['some triplets of ASCII raw', (uri) => uri.replace(/%(2F|25|2B|3A|26|28)/g, (_, hex) => String.fromCharCode(parseInt(hex, 16)))],
  ['every triplet of ASCII but % ? # raw', (uri) => uri.replace(/%(?!25|3F|23)([2-7][0-9A-F])/g, (_, hex) => String.fromCharCode(parseInt(hex, 16)))],
  ['raw spaces', (uri) => uri.replaceAll('%20', ' ')],
  ['raw Unicode', (uri) => respellUnicode(uri, (characters) => characters)],
  ['an upper-case scheme', (uri) => uri.replace(/^[^:]+/, (scheme) => scheme.toUpperCase())],
  ['lower-case hex', (uri) => uri.replace(/%[0-9A-F]{2}/g, (s) => s.toLowerCase())],
  ['everything encoded', (uri) => uri.replace(/^([^:]+:\/\/)(.*)$/s, (_, scheme, rest) => scheme + rest.replace(/%[0-9A-F]{2}|[^/]/g, (s) => s.length > 1 ? s : triplet(s)))],
  ['slashes encoded', (uri) => uri.replace(/^([^:]+:\/\/)(.*)$/s, (_, scheme, rest) => scheme + rest.replaceAll('/', '%2F'))],
  ['code points as bytes', (uri) => respellUnicode(uri, (characters) => [...characters].map(codePointBytes).join(''))],
]

// codeUnits spells characters beyond ASCII as Visual Studio Code does when it expands {x}: "中" as "%4E2D".
export const codeUnits = (uri) => respellUnicode(uri, (characters) => characters.replace(/[^]/g, (unit) => '%' + unit.charCodeAt(0).toString(16).toUpperCase()))

const respellUnicode = (uri, respell) => uri.replace(/(%[89A-F][0-9A-F])+/g, (run) => {
  const characters = text(decode(run))
  return characters === undefined ? run : respell(characters)
})

function codePointBytes(character) {
  const hex = character.codePointAt(0).toString(16).toUpperCase()
  return hex.padStart(hex.length + hex.length % 2, '0').replace(/../g, '%$&')
}

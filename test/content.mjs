// The expected answer to a read, for the bytes of a file.
import assert from 'node:assert/strict'

// textOf returns bytes as text, from UTF-8, or from UTF-16 with a byte order mark, without NUL; or undefined. The mark stays.
export function textOf(bytes) {
  const mark = bytes.subarray(0, 2).toString('hex')
  const encoding = { fffe: 'utf-16le', feff: 'utf-16be' }[mark] ?? 'utf-8'
  try {
    const text = new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes)
    return text.includes('\0') ? undefined : text
  } catch {
    return undefined
  }
}

// binaryName matches names of files that are never text, unless they are empty.
const binaryName = /\.(pdf|wasm|gz)$/

// assertContent compares an item of a read with the file at path, byte for byte.
export function assertContent(item, path, bytes) {
  const text = bytes.length && binaryName.test(path) ? undefined : textOf(bytes)
  const shown = JSON.stringify(path)
  assert.match(item.mimeType ?? '', /^[^/\s]+\/[^/\s]+$/, `MIME type of ${shown}`)
  if (text === undefined) {
    assert.equal(item.text, undefined, `${shown} is a blob`)
    assert.ok(Buffer.from(item.blob, 'base64').equals(bytes), `bytes of ${shown}`)
    assert.equal(item.blob, bytes.toString('base64'), `base64 of ${shown}`)
  } else {
    assert.equal(item.blob, undefined, `${shown} is text`)
    assert.ok(item.text === text, `text of ${shown}: ${JSON.stringify(item.text?.slice(0, 80))}`)
  }
}

// assertSame compares two lists without regard to order, and shows only the differences.
export function assertSame(actual, expected, what) {
  const [has, wants] = [new Set(actual), new Set(expected)]
  const missing = [...wants].filter((item) => !has.has(item)), extra = [...has].filter((item) => !wants.has(item))
  const twice = actual.filter((item, i) => actual.indexOf(item) !== i)
  const shown = (list) => JSON.stringify(list.slice(0, 20))
  assert.ok(missing.length + extra.length + twice.length === 0, `${what}: ${missing.length} missing ${shown(missing)}, ${extra.length} extra ${shown(extra)}, ${twice.length} twice ${shown(twice)}`)
}

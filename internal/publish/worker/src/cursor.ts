import { latin } from './text.ts'

// A cursor of a list: a kind, a key as bytes, and a checksum, so that cursors of other lists and invented cursors are refused.
export type CursorKind = 'r' | 't' | 's' | 'd'

export function newCursor(kind: CursorKind, key: string): string {
  const b = kind + key
  const sum = crc32(b)
  return btoa(b + String.fromCharCode(sum >>> 24, (sum >>> 16) & 0xff, (sum >>> 8) & 0xff, sum & 0xff))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}

export function parseCursor(kind: CursorKind, cursor: string): string | undefined {
  if (!/^[A-Za-z0-9_-]*$/.test(cursor) || cursor.length % 4 === 1) return undefined
  const b = atob(cursor.replaceAll('-', '+').replaceAll('_', '/'))
  if (b.length < 5 || b[0] !== kind) return undefined
  const key = b.slice(1, -4)
  return newCursor(kind, key) === cursor ? key : undefined // also refuses unused bits after the last byte
}

function crc32(bytes: string): number {
  let crc = ~0
  for (let i = 0; i < bytes.length; i++) {
    crc ^= bytes.charCodeAt(i)
    for (let k = 0; k < 8; k++) crc = (crc >>> 1) ^ (0xedb88320 & -(crc & 1))
  }
  return ~crc >>> 0
}

// base64 encodes bytes.
export function base64(data: Uint8Array): string {
  const native = data as Uint8Array & { toBase64?: () => string }
  if (native.toBase64) return native.toBase64()
  let out = ''
  for (let i = 0; i < data.length; i += 0x6000) out += btoa(latin(data.subarray(i, i + 0x6000)))
  return out
}

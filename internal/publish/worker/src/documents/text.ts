import { lowerOf } from '../characters.ts'
import { bytesOf } from '../text.ts'

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

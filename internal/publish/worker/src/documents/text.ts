// textOf returns the text that some bytes are, with U+FFFD for what is not UTF-8.
export function textOf(bytes: string): string {
  if (!/[^\0-\x7f]/.test(bytes)) return bytes
  const data = new Uint8Array(bytes.length)
  for (let i = 0; i < bytes.length; i++) data[i] = bytes.charCodeAt(i)
  return decoder.decode(data)
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

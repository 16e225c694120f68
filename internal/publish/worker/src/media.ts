// sendsJSON reports whether a Content-Type is JSON, in UTF-8 if it names a charset.
export function sendsJSON(value: string): boolean {
  const charset = /;\s*charset\s*=\s*"?([^\s";]*)/i.exec(value)?.[1] ?? 'utf-8'
  return /^\s*application\/json\s*(?:;|$)/i.test(value) && charset.toLowerCase() === 'utf-8'
}

// accepts reports whether a client accepts JSON.
export function accepts(header: string | null): boolean {
  if (header === null) return true
  const kinds = header.split(',').map((item) => (item.split(';', 1)[0] as string).trim().toLowerCase())
  return ['*/*', 'application/*', 'application/json'].some((name) => kinds.includes(name))
}

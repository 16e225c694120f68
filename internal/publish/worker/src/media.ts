// Media types in headers, read as the Go program reads them.

const token = "[!#$%&'*+\\-.0-9A-Z^_`a-z{|}~]+"
const parameter = new RegExp(`^\\s*;\\s*(${token})\\s*=\\s*(?:"((?:[^"\\\\\\r\\n]|\\\\[^\\r\\n])*)"|(${token}))`)

// sendsJSON reports whether a Content-Type is JSON, in UTF-8 if it names a charset.
export function sendsJSON(value: string): boolean {
  const [kind] = value.split(';') as [string]
  if (kind.trim().toLowerCase() !== 'application/json') return false
  const given = new Map<string, string>()
  for (let rest = value.slice(kind.length); rest.trim() !== ''; ) {
    const [whole, name, quoted, plain] = parameter.exec(rest) ?? []
    if (whole === undefined || name === undefined) return rest.trim() === ';'
    const key = name.toLowerCase()
    const text = plain ?? (quoted as string).replace(/\\([()<>@,;:\\"/[\]?=])/g, '$1')
    if (given.has(key) && given.get(key) !== text) return false
    given.set(key, text)
    rest = rest.slice(whole.length)
  }
  const charset = given.get('charset') ?? ''
  return charset === '' || charset.toLowerCase() === 'utf-8'
}

// isRepeated reports whether a header was sent more than once: Headers joins the values with commas.
export const isRepeated = (value: string): boolean => value.replace(/"(?:[^"\\]|\\.)*"/g, '').includes(',')

// accepts reports whether a client accepts both media types that an answer may have.
export function accepts(header: string | null): boolean {
  if (header === null) return true
  let [whole, events] = [false, false]
  for (const item of header.split(',')) {
    const [kind, ...parameters] = item.split(';')
    if (parameters.some((p) => /^q=[0.]+$/.test(p.trim().toLowerCase()))) continue
    switch ((kind as string).trim().toLowerCase()) {
      case '*/*':
        whole = events = true
        break
      case 'application/json':
      case 'application/*':
        whole = true
        break
      case 'text/event-stream':
      case 'text/*':
        events = true
    }
  }
  return whole && events
}

// A Visitor sees the parts of a JSON text in their order.
export interface Visitor {
  open(isArray: boolean, depth: number): void // depth: how many objects and arrays are open with it
  close(): void
  key(start: number, end: number): void // where it stands in the text, with its quotes
  value(start: number, end: number): void // of a string, a number, true, false or null
}

// maxDepth is how deep values may be nested, as encoding/json has it.
const maxDepth = 10_000

// scan shows a visitor the parts of a valid JSON text. It throws a SyntaxError for one that is nested too deep. It calls nothing for each
// level, since any client can send a text that is nested deeper than calls can be.
export function scan(text: string, visitor: Visitor): void {
  const objects: boolean[] = [] // whether each open value is an object
  let isKey = false // whether the next string is one
  for (let i = 0; i < text.length; ) {
    const c = text.charCodeAt(i)
    let end = i + 1
    switch (c) {
      case 0x22: // "
        end = endOfString(text, i)
        if (isKey) visitor.key(i, end)
        else visitor.value(i, end)
        isKey = false
        break
      case 0x7b: // {
      case 0x5b: // [
        if (objects.length === maxDepth) throw new SyntaxError('nested too deep')
        isKey = c === 0x7b
        objects.push(isKey)
        visitor.open(!isKey, objects.length)
        break
      case 0x7d: // }
      case 0x5d: // ]
        objects.pop()
        isKey = false
        visitor.close()
        break
      case 0x2c: // ,
        isKey = objects.at(-1) === true
        break
      case 0x3a: // :
        break
      default:
        if (c <= 0x20) break
        while (end < text.length && isWord(text.charCodeAt(end))) end++
        visitor.value(i, end)
    }
    i = end
  }
}

// isWord reports whether a character continues a number or a name.
const isWord = (c: number): boolean => c > 0x2a && c !== 0x2c && c !== 0x5d && c !== 0x7d

function endOfString(text: string, start: number): number {
  for (let end = start; ; ) {
    end = text.indexOf('"', end + 1)
    let before = end
    while (text.charCodeAt(before - 1) === 0x5c) before--
    if ((end - before) % 2 === 0) return end + 1
  }
}

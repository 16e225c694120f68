// Numbers as the client wrote them. JSON.parse loses digits, and what makes 1.0 another number than 1 for the Go program. Its second
// argument would have the texts, but calls itself for each level, and any client can send a text that is nested deeper than that can go.

// maxDepth is how deep values may be nested, as encoding/json has it.
const maxDepth = 10_000

// Numbers are those of one message.
export interface Numbers {
  id?: string
  arguments: Map<string, string> // members of params.arguments
}

interface Level {
  isArray: boolean
  key: string | number // of the member or item that is read
}

// numbersIn returns the numbers of the messages in a valid JSON text. It throws a SyntaxError for one that is nested too deep.
export function numbersIn(text: string): Numbers[] {
  const found: Numbers[] = []
  const levels: Level[] = []
  let isKey = false // whether the next string is one
  for (let i = 0; i < text.length; ) {
    const top = levels.at(-1)
    const c = text[i] as string
    let end = i + 1
    switch (c) {
      case '"':
        end = endOfString(text, i)
        if (isKey && top) {
          top.key = levels.length <= 4 ? nameIn(text.slice(i, end)) : ''
          isKey = false
        }
        break
      case '{':
      case '[':
        if (levels.length === maxDepth) throw new SyntaxError('nested too deep')
        levels.push({ isArray: c === '[', key: c === '[' ? 0 : '' })
        isKey = c === '{'
        break
      case '}':
      case ']':
        levels.pop()
        isKey = false
        break
      case ',':
        if (top?.isArray) top.key = (top.key as number) + 1
        else isKey = true
        break
      default:
        if (c === '-' || (c >= '0' && c <= '9')) {
          while (end < text.length && '+-.eE0123456789'.includes(text[end] as string)) end++
          if (levels.length <= 4 && !top?.isArray) keep(found, levels, text.slice(i, end))
        }
    }
    i = end
  }
  return found
}

const nameIn = (quoted: string): string => (quoted.includes('\\') ? (JSON.parse(quoted) as string) : quoted.slice(1, -1))

function endOfString(text: string, start: number): number {
  for (let end = start; ; ) {
    end = text.indexOf('"', end + 1)
    let before = end
    while (text[before - 1] === '\\') before--
    if ((end - before) % 2 === 0) return end + 1
  }
}

// keep notes a number if it is one that an answer depends on.
function keep(found: Numbers[], levels: readonly Level[], source: string): void {
  const isBatch = levels[0]?.isArray === true
  const [first, second, third, more] = (isBatch ? levels.slice(1) : levels).map(({ key }) => key)
  const at = isBatch ? ((levels[0] as Level).key as number) : 0
  const isId = first === 'id' && second === undefined
  if (!isId && !(first === 'params' && second === 'arguments' && typeof third === 'string' && more === undefined)) return
  const of = (found[at] ??= { arguments: new Map() })
  if (isId) of.id = source
  else of.arguments.set(third as string, source)
}

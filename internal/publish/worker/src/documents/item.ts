import { bytesOf, textOf } from '../text.ts'
import { estimate } from '../tokens.ts'
import { countLines, howToGoOn, isPartial, missing, oneLine, partOf } from './excerpt.ts'
import { shown } from './filter.ts'

// A text of an answer, as in answer.go of internal/library/docs. All strings are bytes.

const bare = /^[A-Za-z/_][A-Za-z0-9/_.,()"'=+-]*( [A-Za-z0-9/_.,()"'=+-]+)*$/
const reserved = /^(y|n|yes|no|on|off|true|false|null|nan|inf)$/i

// scalar writes a string as YAML.
export function scalar(s: string): string {
  if (bare.test(s) && !reserved.test(s)) return s
  return bytesOf(JSON.stringify(textOf(s)).replace(/[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`))
}

const lineMargin = 60 // tokens of what says how to go on

export class Item {
  header = ''
  body = ''

  // set adds a line to the YAML.
  set(key: string, value: string): void {
    this.header += `${key}: ${scalar(value)}\n`
  }

  // fail sets the error of the item and repeats it in the body.
  fail(message: string): void {
    this.body = message
    this.set('error', message)
  }

  // list adds a list of at most most values to the YAML.
  list(key: string, values: readonly string[], most: number): void {
    if (values.length === 0) return
    this.header += `${key}:\n`
    for (const v of values.slice(0, most)) this.header += `  - ${scalar(shown(oneLine(v)))}\n`
    if (values.length > most) this.header += '  - and others\n'
  }

  // show sets the body to some lines of a part of a text, at most size bytes, and adds their numbers unless all lines of the text are shown.
  show(text: string, part: { start: number; end: number }, offset: number, limit: number, size: number, room: number): void {
    const lines = partOf(text, part.start, part.end, offset, limit, size, room - estimate(this.header) - lineMargin)
    if (lines.beyond) {
      this.fail(missing(lines))
      return
    }
    this.body = lines.text + howToGoOn(lines)
    lines.total = countLines(text)
    if (isPartial(lines)) this.set('lines', `${lines.first}-${lines.last} of ${lines.total}`)
  }

  toString(): string {
    return `---\n${this.header}---\n\n${this.body}`
  }
}

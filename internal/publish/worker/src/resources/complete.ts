import { bytesOf, lowerOf, shown } from '../text.ts'
import type { Context } from '../context.ts'
import { kept } from '../documents/kept.ts'
import type { JsonObject } from '../json.ts'
import { invalidParams } from '../protocol.ts'
import { templatesOf } from './templates.ts'

// A Row holds the offered text for each variable and, if it differs, the value itself.
type Row = { [variable: string]: [offered: string, value?: string] }

const decoder = new TextDecoder()

// rowsOf returns the rows of an asset, one a line.
const rowsOf = (data: Uint8Array): readonly Row[] => JSON.parse(`[${decoder.decode(data).replaceAll('\n', ',')}]`)

// completeTemplate returns the values of a variable of a template that start with a prefix, ignoring case. They are sorted.
export async function completeTemplate(context: Context, template: string, variable: string, prefix: string, given: JsonObject): Promise<string[]> {
  const found = (await templatesOf(context)).find(({ text, published }) => text === template || published === template)
  if (!found) throw invalidParams(`there is no template ${shown(template)}; resources/templates/list lists them`)
  if (!found.names.includes(variable)) {
    throw invalidParams(`the template has no variable ${shown(variable)}, it has ${found.names.join(', ')}`)
  }
  if (!found.rows) return []
  const start = lowerOf(prefix)
  const values = new Set<string>()
  for (const row of await kept(context.assets, found.rows, 6, rowsOf)) {
    const value = Object.hasOwn(row, variable) ? (row[variable] as [string])[0] : ''
    if (value === '' || values.has(value) || !lowerOf(value).startsWith(start)) continue
    const fits = Object.entries(row).every(([name, values]) => {
      const chosen = name !== variable && Object.hasOwn(given, name) && given[name] !== '' ? (given[name] ?? '') : undefined
      return chosen === undefined || (values as (string | undefined)[]).includes(chosen as string)
    })
    if (fits) values.add(value)
  }
  return [...values].map((value) => [bytesOf(value), value] as const).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, value]) => value)
}

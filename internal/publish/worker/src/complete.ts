import { type Context, encode, type Reply } from './context.ts'
import type { JsonObject } from './json.ts'
import { decode } from './params.ts'
import { invalidParams } from './protocol.ts'
import { completePrompt } from './prompts.ts'
import { completeParams } from './tables/shapes.ts'
import { quoted } from './text.ts'
import { completeTemplate } from './resources/complete.ts'

// maxCompletions is how many values a completion may have (MCP, "Completion").
const maxCompletions = 100

// shape is that of the SDK, whose references check themselves.
const shape = { fields: { ...completeParams.fields, ref: { ...completeParams.fields.ref, check: checkReference } } } as const

function checkReference({ type, name, uri }: JsonObject): void {
  const [isPrompt, isResource] = [type === 'ref/prompt', type === 'ref/resource']
  if (!isPrompt && !isResource) throw invalidParams(`invalid params: unrecognized content type ${quoted(type as string)}`)
  if (isPrompt && uri !== '') throw invalidParams('invalid params: reference of type "ref/prompt" must not have a URI set')
  if (isResource && name !== '') throw invalidParams('invalid params: reference of type "ref/resource" must not have a Name set')
}

// complete answers completion/complete.
export async function complete(context: Context, params: JsonObject): Promise<Reply> {
  const { ref, argument, context: other } = decode(shape, params)
  if (!ref) throw invalidParams('ref is missing')
  const { name, value } = argument
  if (ref.type === 'ref/prompt') return completion(await completePrompt(context, ref.name, name, value, maxCompletions))
  return completion(await completeTemplate(context, ref.uri, name, value, other?.arguments ?? {}))
}

// completion returns as many values as may be.
function completion(values: string[]): Reply {
  return {
    members: encode({ completion: { values: values.slice(0, maxCompletions), total: values.length, hasMore: values.length > maxCompletions } }),
  }
}

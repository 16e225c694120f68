import { type Context, encode, type Reply } from './context.ts'
import { isObject, type JsonObject } from './json.ts'
import { objectOf, stringOf } from './params.ts'
import { invalidParams } from './protocol.ts'
import { completePrompt } from './prompts.ts'
import { shown } from './text.ts'
import { completeTemplate } from './resources/complete.ts'

// maxCompletions is how many values a completion may have (MCP, "Completion").
const maxCompletions = 100

// complete answers completion/complete.
export async function complete(context: Context, params: JsonObject): Promise<Reply> {
  const ref = objectOf(params, 'ref')
  if (!ref) throw invalidParams('ref is missing')
  const type = stringOf(ref, 'type')
  if (type !== 'ref/resource' && type !== 'ref/prompt') throw invalidParams(`invalid params: there is no ref of type ${shown(type)}`)
  const strange = type === 'ref/prompt' ? 'uri' : 'name'
  if (stringOf(ref, strange) !== '') throw invalidParams(`invalid params: a reference of type ${shown(type)} must not have the member ${strange}`)
  const argument = objectOf(params, 'argument') ?? {}
  const [name, value] = [stringOf(argument, 'name'), stringOf(argument, 'value')]
  if (type === 'ref/prompt') return completion(await completePrompt(context, stringOf(ref, 'name'), name, value, maxCompletions))
  const chosen = objectOf(objectOf(params, 'context') ?? {}, 'arguments') ?? {}
  if (Object.values(chosen).some((of) => typeof of !== 'string' && of !== null)) throw invalidParams('invalid params: the arguments of the context must be strings')
  return completion(await completeTemplate(context, stringOf(ref, 'uri'), name, value, isObject(chosen) ? chosen : {}))
}

// completion returns as many values as may be.
function completion(values: string[]): Reply {
  return {
    members: encode({ completion: { values: values.slice(0, maxCompletions), total: values.length, hasMore: values.length > maxCompletions } }),
  }
}

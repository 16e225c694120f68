import { type Context, encode, type Reply, stringIn } from './context.ts'
import { isObject, type JsonObject, member } from './json.ts'
import { invalidParams } from './protocol.ts'
import { completePrompt } from './prompts.ts'
import { completeTemplate } from './resources/complete.ts'

// maxCompletions is the maximum number of values of a completion (MCP, "Completion").
const maxCompletions = 100

// complete answers completion/complete.
export async function complete(context: Context, params: JsonObject): Promise<Reply> {
  const ref = member(params, 'ref')
  const [type, of, uri] = [stringIn(ref, 'type'), stringIn(ref, 'name'), stringIn(ref, 'uri')]
  const argument = member(params, 'argument')
  const [name, value] = [stringIn(argument, 'name'), stringIn(argument, 'value')]
  if (type === 'ref/prompt' && uri === '') return completion(await completePrompt(context, of, name, value, maxCompletions))
  if (type === 'ref/resource' && of === '') {
    const given = member(member(params, 'context'), 'arguments')
    return completion(await completeTemplate(context, uri, name, value, isObject(given) ? given : {}))
  }
  throw invalidParams('ref must be a ref/prompt with a name or a ref/resource with a uri')
}

// completion returns the first values, up to the maximum.
const completion = (values: string[]): Reply => ({
  members: encode({ completion: { values: values.slice(0, maxCompletions), total: values.length, hasMore: values.length > maxCompletions } }),
})

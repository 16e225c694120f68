import { type Context, encode, type Reply } from './context.ts'
import type { JsonObject } from './json.ts'
import { check } from './params.ts'
import { invalidParams } from './protocol.ts'
import { completePrompt } from './prompts.ts'
import { completeParams } from './tables/shapes.ts'
import { completeTemplate } from './resources/complete.ts'

// maxCompletions is the maximum number of values of a completion (MCP, "Completion").
const maxCompletions = 100

interface Params {
  ref?: { type?: string | null; name?: string | null; uri?: string | null } | null
  argument?: { name?: string | null; value?: string | null } | null
  context?: { arguments?: { [name: string]: string | null } | null } | null
}

// complete answers completion/complete.
export async function complete(context: Context, params: JsonObject): Promise<Reply> {
  check(completeParams, params)
  const { ref, argument, context: other } = params as Params
  const [name, value] = [argument?.name ?? '', argument?.value ?? '']
  if (ref?.type === 'ref/prompt' && !ref.uri) return completion(await completePrompt(context, ref.name ?? '', name, value, maxCompletions))
  if (ref?.type === 'ref/resource' && !ref.name) return completion(await completeTemplate(context, ref.uri ?? '', name, value, other?.arguments ?? {}))
  throw invalidParams('ref must be a ref/prompt with a name or a ref/resource with a uri')
}

// completion returns the first values, up to the maximum.
function completion(values: string[]): Reply {
  return {
    members: encode({ completion: { values: values.slice(0, maxCompletions), total: values.length, hasMore: values.length > maxCompletions } }),
  }
}

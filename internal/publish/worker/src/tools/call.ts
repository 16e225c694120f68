import { type Context, cursorIn, encode, listTTL, type Reply, stringIn } from '../context.ts'
import type { Json, JsonObject } from '../json.ts'
import { Failure, invalidParams } from '../protocol.ts'
import type { Tool } from '../manifest.ts'
import { shown } from '../text.ts'
import { failed, Mistake } from './arguments.ts'
import { callFetch, callSearch } from './connector.ts'
import { callDocuments } from './documents.ts'
import { callListResources, callReadResource } from './resources.ts'

// A Run answers a call of a tool with the members of its result.
type Run = (context: Context, given: Json | undefined) => Promise<string>

const runs: { [kind in Tool['kind']]: Run } = {
  documents: callDocuments,
  list_resources: callListResources,
  read_resource: callReadResource,
  search: callSearch,
  fetch: callFetch,
}

// callTool answers tools/call. It reports mistakes of the model in the result, for the model to read.
export async function callTool(context: Context, params: JsonObject): Promise<Reply> {
  const name = stringIn(params, 'name')
  const { tools } = context.manifest
  const tool = tools.find((t) => t.item.name === name)
  const run = tool && runs[tool.kind]
  if (!run) throw invalidParams(`there is no tool ${shown(name)}`)
  try {
    return { members: await run(context, params['arguments']) }
  } catch (error) {
    if (error instanceof Mistake || error instanceof Failure) return { members: failed(error.message) }
    throw error
  }
}

export function listTools({ manifest }: Context, params: JsonObject): Reply {
  if (cursorIn(params) !== '') throw invalidParams('the cursor is not one of this list')
  return { members: encode({ tools: manifest.tools.map((tool) => tool.item) }), ttl: listTTL }
}

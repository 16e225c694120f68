import type { Context, Reply } from '../context.ts'
import { nearest } from '../documents/nearest.ts'
import { textOf } from '../documents/text.ts'
import type { Json, JsonObject } from '../json.ts'
import type { Tool } from '../manifest.ts'
import { stringIn } from '../params.ts'
import { Failure, invalidParams } from '../protocol.ts'
import { bytesOf, shown } from '../text.ts'
import { Mistake } from './arguments.ts'
import { callFetch, callSearch } from './connector.ts'
import { callDocuments } from './documents.ts'
import { failed } from './output.ts'
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
  if (!run) throw invalidParams(`there is no tool ${shown(name)}${near(name, tools)}`)
  try {
    return { members: exact(context, await run(context, params['arguments'])) }
  } catch (error) {
    if (error instanceof Mistake || error instanceof Failure) return { members: exact(context, failed(error.message)) }
    throw error
  }
}

// exact writes integers as the client wrote them, because JavaScript rounds integers above 2^53.
function exact({ numbers }: Context, members: string): string {
  for (const source of numbers.values()) {
    if (/^-?\d{16,19}$/.test(source)) members = members.replaceAll(String(Number(source)), String(BigInt(source)))
  }
  return members
}

function near(name: string, tools: readonly Tool[]): string {
  const [found] = nearest(
    bytesOf(name),
    tools.map((t) => bytesOf(t.item.name)),
    1,
  )
  return found === undefined ? '' : `; did you mean ${textOf(found)}?`
}

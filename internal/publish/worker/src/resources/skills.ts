import { jsonOf } from '../assets.ts'
import { type Context, listTTL, type Reply, uriIn } from '../context.ts'
import { newCursor } from '../cursor.ts'
import type { Json, JsonObject } from '../json.ts'
import { code, Failure } from '../protocol.ts'
import { lengthOf, shown } from '../text.ts'
import { compare, decode } from '../uri.ts'
import { dataOf, failureOf } from './errors.ts'
import { after, pageBytes } from './list.ts'
import { type FailureOf, lookup } from './lookup.ts'

interface Skill {
  uri: string
  item?: Json
  failure?: FailureOf
}

const skillsOf = ({ assets, manifest }: Context): Promise<Skill[]> => jsonOf<Skill[]>(assets, manifest.resources.skills)

export async function listSkills(context: Context, params: JsonObject): Promise<Reply> {
  const start = after(params, 's')
  if (start !== '' && !/^skill:\/\/[^]/i.test(decode(start))) return { members: '"skills":[]', ttl: listTTL } // the server stops at resources of other schemes
  const items: string[] = []
  let size = '"skills":['.length
  let last = start
  let next = ''
  for (const skill of await skillsOf(context)) {
    if (start !== '' && compare(skill.uri, start) <= 0) continue
    if (items.length === context.manifest.limits.page || size > pageBytes) {
      next = newCursor('s', last)
      break
    }
    last = skill.uri
    if (skill.item === undefined) continue
    const item = JSON.stringify(skill.item)
    size += lengthOf(item) + (items.length > 0 ? 1 : 0)
    items.push(item)
  }
  return { members: `"skills":[${items.join(',')}]${next && `,"nextCursor":"${next}"`}`, ttl: listTTL }
}

export async function getSkill(context: Context, params: JsonObject): Promise<Reply> {
  const requested = uriIn(params)
  const record = await lookup(context, requested)
  const skill = record && (await skillsOf(context)).find(({ uri }) => uri === record[0])
  if (!skill) {
    const why = 'it names no SKILL.md of a skill; skills/list lists them'
    throw new Failure(code.invalidParams, `there is no skill ${shown(requested)}: ${why}`, dataOf(requested))
  }
  if (skill.failure) throw failureOf(skill.failure, requested)
  return { members: `"skill":${JSON.stringify(skill.item)}`, ttl: 0 }
}

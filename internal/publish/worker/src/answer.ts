import type { Context, Method, Reply } from './context.ts'
import { isObject, type JsonObject } from './json.ts'
import type { Manifest } from './manifest.ts'
import type { Message } from './message.ts'
import type { Assets } from './assets.ts'
import { type Era, eraOf, firstStateless, invalidParams, invalidRequest, meta, methodNotFound, type Session } from './protocol.ts'
import { complete } from './complete.ts'
import { getPrompt, listPrompts } from './prompts.ts'
import { readDirectory } from './resources/directory.ts'
import { listResources } from './resources/list.ts'
import { readResource } from './resources/read.ts'
import { getSkill, listSkills } from './resources/skills.ts'
import { listTemplates } from './resources/templates.ts'
import { discover, initialize } from './session.ts'
import { shown } from './text.ts'
import { callTool, listTools } from './tools/call.ts'

interface Entry {
  answer: Method
  era?: Era // the only era that has the method; undefined: both
  params?: true // parameters are required
}

const methods: { [name: string]: Entry } = {
  initialize: { answer: initialize, era: 'handshake', params: true },
  ping: { answer: () => ({ members: '' }), era: 'handshake' },
  'server/discover': { answer: discover, era: 'stateless' },
  'resources/list': { answer: listResources },
  'resources/read': { answer: readResource, params: true },
  'resources/directory/read': { answer: readDirectory, params: true },
  'resources/templates/list': { answer: listTemplates },
  'skills/list': { answer: listSkills },
  'skills/get': { answer: getSkill, params: true },
  'completion/complete': { answer: complete, params: true },
  'prompts/list': { answer: listPrompts },
  'prompts/get': { answer: getPrompt, params: true },
  'tools/list': { answer: listTools },
  'tools/call': { answer: callTool, params: true },
}

// Methods of a server that notifies its clients.
const notifying = ['subscriptions/listen', 'resources/subscribe', 'resources/unsubscribe']

// answer returns the result of a call as JSON, or throws a Failure. A request over HTTP is in a session unless its headers name the stateless era.
export async function answer(assets: Assets, manifest: Manifest, session: Session, { method: name, params }: Message): Promise<string> {
  const method = Object.hasOwn(methods, name) ? methods[name] : undefined
  const { era, fault } = eraOf(params, session.oldest)
  if (notifying.includes(name)) throw methodNotFound(`${name}: the files of this server do not change, so it notifies nobody`)
  if (fault) throw fault
  if (era === 'stateless') {
    if (!method || name === 'initialize') throw methodNotFound(`there is no method ${shown(name)} in protocol version ${firstStateless}`)
    if (method.era === 'handshake') {
      throw methodNotFound(`there is no method ${name} in protocol version ${firstStateless}; use subscriptions/listen`)
    }
  } else {
    if (method?.era === 'stateless') throw methodNotFound(`${name} needs protocol version ${firstStateless}`)
    if (!session.begun && name !== 'ping' && name !== 'initialize') throw invalidRequest(`${name}: the session begins with initialize`)
    if (!method) throw methodNotFound(`there is no method ${shown(name)}`)
  }
  if (params === undefined || params === null || (Array.isArray(params) && params.length === 0)) {
    if (method.params) throw invalidRequest(`${name}: params are missing`)
  } else if (!isObject(params)) throw invalidParams(`${name}: params must be an object`)
  const context: Context = { assets, manifest, era, session }
  return written(context, await method.answer(context, (params ?? {}) as JsonObject))
}

function written({ era, manifest }: Context, reply: Reply): string {
  if (era === 'handshake') return `{${reply.members}}`
  const head = [`"_meta":{"${meta.serverInfo}":${JSON.stringify(manifest.serverInfo)}}`, '"resultType":"complete"']
  if (reply.ttl !== undefined) head.push(`"ttlMs":${reply.ttl},"cacheScope":"private"`)
  if (reply.members !== '') head.push(reply.members)
  return `{${head.join(',')}}`
}

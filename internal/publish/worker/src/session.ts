import { type Context, encode, type Reply } from './context.ts'
import { type JsonObject, member } from './json.ts'
import { check } from './params.ts'
import { firstStateless, lastHandshake, oldest, versions } from './protocol.ts'
import { initializeParams } from './tables/shapes.ts'

// The first calls of a client. The Worker has no sessions: initialize negotiates a version, which the client then names in each request.

export function initialize({ manifest }: Context, params: JsonObject): Reply {
  check(initializeParams, params)
  const named = member(params, 'protocolVersion')
  const asked = typeof named === 'string' ? named : ''
  const agreed = asked < oldest ? oldest : asked >= firstStateless || !versions.includes(asked) ? lastHandshake : asked
  return {
    members: encode({
      capabilities: manifest.capabilities,
      ...(manifest.instructions && { instructions: manifest.instructions }),
      protocolVersion: agreed,
      serverInfo: manifest.serverInfo,
    }),
  }
}

export function discover({ manifest }: Context): Reply {
  return {
    members: encode({
      supportedVersions: [...versions],
      capabilities: manifest.capabilities,
      ...(manifest.instructions && { instructions: manifest.instructions }),
    }),
    ttl: 0,
  }
}

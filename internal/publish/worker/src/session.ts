import { type Context, encode, type Reply } from './context.ts'
import type { JsonObject } from './json.ts'
import { stringIn } from './params.ts'
import { firstStateless, lastHandshake, oldest, versions } from './protocol.ts'

// The first calls of a client. The Worker has no sessions: initialize negotiates a version, which the client then names in each request.

export function initialize({ manifest }: Context, params: JsonObject): Reply {
  const asked = stringIn(params, 'protocolVersion')
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

import { type Context, encode, type Reply, stringIn } from './context.ts'
import type { JsonObject } from './json.ts'
import type { Manifest } from './manifest.ts'
import { firstStateless, lastHandshake, versionsFrom } from './protocol.ts'

// The first calls of a client. HTTP has no sessions here: initialize negotiates a version, which the client then names in each request.

export function initialize({ manifest, session: { oldest } }: Context, params: JsonObject): Reply {
  const asked = stringIn(params, 'protocolVersion')
  const agreed = asked < oldest ? oldest : asked >= firstStateless || !versionsFrom(oldest).includes(asked) ? lastHandshake : asked
  return { members: encode({ ...about(manifest), protocolVersion: agreed, serverInfo: manifest.serverInfo }) }
}

export const discover = ({ manifest, session }: Context): Reply => ({ members: encode({ supportedVersions: versionsFrom(session.oldest), ...about(manifest) }), ttl: 0 })

const about = ({ capabilities, instructions }: Manifest): JsonObject => ({ capabilities, ...(instructions && { instructions }) })

// The official clients, each in the eras of the protocol that it supports.
import { createInterface } from 'node:readline'
import { Client as Client2, StreamableHTTPClientTransport as HTTP2, UriTemplate as UriTemplate2 } from '@modelcontextprotocol/client'
import { StdioClientTransport as Stdio2 } from '@modelcontextprotocol/client/stdio'
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as Stdio1 } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as HTTP1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { UriTemplate as UriTemplate1 } from '@modelcontextprotocol/sdk/shared/uriTemplate.js'
import { ResourceListChangedNotificationSchema, ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { binary } from './binary.mjs'

const me = { name: 'test', version: '1.0.0' }
const client2 = (mode) => new Client2(me, { versionNegotiation: { mode } })

const schemas1 = { 'notifications/resources/list_changed': ResourceListChangedNotificationSchema, 'notifications/resources/updated': ResourceUpdatedNotificationSchema }
const on1 = (client, method, handler) => client.setNotificationHandler(schemas1[method], handler)
const on2 = (client, method, handler) => client.setNotificationHandler(method, handler)

// The clients differ in their names, the version that they negotiate, whether that version is stateless, how they register a
// handler of notifications, and how they expand a template.
export const clients = [
  { name: 'sdk 1.32', version: '2025-11-25', stateless: false, create: () => new Client1(me), Client: Client1, Stdio: Stdio1, HTTP: HTTP1, on: on1, UriTemplate: UriTemplate1 },
  { name: 'client 2.4, initialize', version: '2025-11-25', stateless: false, create: () => client2('legacy'), Stdio: Stdio2, HTTP: HTTP2, on: on2, UriTemplate: UriTemplate2 },
  { name: 'client 2.4, 2026-07-28', version: '2026-07-28', stateless: true, create: () => client2({ pin: '2026-07-28' }), Stdio: Stdio2, HTTP: HTTP2, on: on2, UriTemplate: UriTemplate2 },
]

// connect starts a server of the project in dir, with additional arguments, and returns a client of it. log is called with each line of
// standard error.
export async function connect({ create, Stdio }, dir, log, args = []) {
  const client = create()
  const transport = new Stdio({ command: binary(), args: ['serve', ...args, dir], stderr: log ? 'pipe' : 'ignore' })
  if (log) createInterface({ input: transport.stderr }).on('line', log)
  await client.connect(transport)
  return client
}

// list follows the cursors of a list to its end.
export async function list(client, method, key) {
  const items = []
  let cursor
  do {
    const page = await client[method](cursor === undefined ? undefined : { cursor })
    items.push(...page[key])
    cursor = page.nextCursor
  } while (cursor !== undefined)
  return items
}

// each calls act for every item, some of them at the same time.
export async function each(items, act, width = 32) {
  const queue = items[Symbol.iterator]()
  await Promise.all(Array.from({ length: width }, async () => {
    for (const item of queue) await act(item)
  }))
}

// OAuth with a real provider on the loopback interface: the official clients find the provider from the server's answer, register,
// let their user log in, and send a token.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { UnauthorizedError as UnauthorizedError2 } from '@modelcontextprotocol/client'
import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js'
import { Provider } from 'oidc-provider'
import { clients } from './clients.mjs'
import { ending, freePort, listening, Web } from './http.mjs'

const callback = 'http://localhost:9/callback'

// browse logs in and consents like a person, and returns the URL to which the provider then redirects the browser.
async function browse(start) {
  const cookies = new Map()
  let url = start
  let init = {}
  for (let n = 0; n < 20; n++) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(url, { ...init, redirect: 'manual', headers: { ...init.headers, cookie } })
    for (const line of response.headers.getSetCookie()) {
      const pair = line.split(';')[0]
      cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1))
    }
    const location = response.headers.get('location')
    if (location) {
      url = new URL(location, url)
      init = {}
      if (url.href.startsWith(callback)) return url
      continue
    }
    const page = await response.text()
    const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1]
    assert.ok(prompt, `${response.status} at ${url}: ${page.slice(0, 300)}`)
    url = new URL(/action="([^"]+)"/.exec(page)[1], url)
    init = { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: new URLSearchParams({ prompt, login: 'ada', password: 'any' }).toString() }
  }
  assert.fail('the provider goes round in circles')
}

// user is the part of the program that a client calls to let its user log in.
class User {
  redirectUrl = callback
  clientMetadata = { client_name: 'test', redirect_uris: [callback], grant_types: ['authorization_code'], response_types: ['code'], token_endpoint_auth_method: 'none', application_type: 'native' }
  clientInformation() { return this.information }
  saveClientInformation(information) { this.information = information }
  tokens() { return this.saved }
  saveTokens(tokens) { this.saved = tokens }
  codeVerifier() { return this.verifier }
  saveCodeVerifier(verifier) { this.verifier = verifier }
  discoveryState() { return this.discovery }
  saveDiscoveryState(state) { this.discovery = state }
  async redirectToAuthorization(url) { this.asked = url; this.returned = await browse(url) }
}

async function newKey(algorithm, kid) {
  const kind = algorithm === 'RS256' ? { modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]), name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' } : { name: 'ECDSA', namedCurve: 'P-256' }
  const { privateKey } = await crypto.subtle.generateKey(kind, true, ['sign', 'verify'])
  return { ...(await crypto.subtle.exportKey('jwk', privateKey)), key_ops: undefined, use: 'sig', kid }
}

// newProvider returns an authorization server that signs with the first of its keys. Programs without a user are the client "robot".
function newProvider(issuer, algorithm, keys) {
  return new Provider(issuer, {
    jwks: { keys },
    clientDefaults: { id_token_signed_response_alg: algorithm },
    clients: [{ client_id: 'robot', client_secret: 'secret', grant_types: ['client_credentials'], redirect_uris: [], response_types: [] }],
    scopes: ['openid', 'docs:read'],
    features: {
      clientCredentials: { enabled: true },
      registration: { enabled: true },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo: (_, resource) => ({ scope: 'docs:read', audience: resource, accessTokenTTL: 3600, accessTokenFormat: 'jwt', jwt: { sign: { alg: algorithm } } }),
      },
    },
  })
}

// start starts an authorization server and a server that trusts it. replace gives the former another key; readings are the times when its keys
// were read, in milliseconds.
async function start(after, algorithm) {
  let provider
  const readings = []
  const issuer = await listening(after, (request, response) => {
    if (request.url === '/jwks') readings.push(performance.now())
    provider.callback()(request, response)
  })
  const replace = async (kid) => { provider = newProvider(issuer, algorithm, [await newKey(algorithm, kid)]) }
  await replace('one')
  // The URL is the audience and must be known before the server starts.
  const address = `127.0.0.1:${await freePort()}`
  const url = new URL(`http://${address}/mcp`)
  await Web.start(after, ['--oauth-issuer', issuer, '--oauth-audience', url.href, '--oauth-scope', 'docs:read', join(import.meta.dirname, 'conformance/project')], { http: address })
  return { issuer, url, readings, replace }
}

for (const algorithm of ['RS256', 'ES256']) {
  describe(algorithm, { timeout: 60_000 }, () => {
    const later = ending()
    let url
    before(async () => { ({ url } = await start(later, algorithm)) })

    for (const { name, create, HTTP } of clients) {
      test(name, async () => {
        const authProvider = new User()
        const transport = new HTTP(url, { authProvider })
        const refused = (error) => error instanceof UnauthorizedError || error instanceof UnauthorizedError2
        await assert.rejects(create().connect(transport), refused)
        assert.equal(authProvider.asked.searchParams.get('resource'), url.href)
        assert.equal(authProvider.asked.searchParams.get('scope'), 'docs:read')
        const code = authProvider.returned.searchParams
        await transport.finishAuth(name.startsWith('sdk') ? code.get('code') : code)

        const client = create()
        await client.connect(new HTTP(url, { authProvider }))
        assert.ok((await client.listResources()).resources.length > 0)
        await client.close()
      })
    }
  })
}

// The provider replaces its key. The server reads keys at most every ten seconds, however many tokens with unknown keys it
// receives.
test('a rotation of keys', { timeout: 60_000 }, async (t) => {
  const { issuer, url, readings, replace } = await start((end) => t.after(end), 'ES256')
  const newToken = async () => {
    const body = new URLSearchParams({ grant_type: 'client_credentials', resource: url.href, scope: 'docs:read' })
    const answer = await fetch(`${issuer}/token`, { method: 'POST', headers: { authorization: `Basic ${btoa('robot:secret')}` }, body })
    assert.equal(answer.status, 200)
    return (await answer.json()).access_token
  }
  // The endpoint answers a GET without a session with 405, after the check of the token.
  const accepted = async (token) => {
    const { status } = await fetch(url, { headers: { authorization: `Bearer ${token}`, accept: 'text/event-stream' } })
    assert.ok(status === 405 || status === 401, `${status}`)
    return status !== 401
  }
  const old = await newToken()
  assert.ok(await accepted(old))
  await replace('two')
  const token = await newToken()
  assert.ok(await accepted(old), 'the old key is used until keys are read again')
  while (!(await accepted(token))) {
    assert.ok(performance.now() - readings[0] < 12_000, 'a token with the new key is still refused')
    await sleep(100)
  }
  assert.equal(await accepted(old), false, 'the old key is gone')
  assert.equal(readings.length, 2)
  assert.ok(readings[1] - readings[0] > 9_900, `keys were read again after ${readings[1] - readings[0]} ms`)
})

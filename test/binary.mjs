// The server under test: MCP_DOCS_SERVER_BINARY, or one built from this repository into a temporary folder.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const repository = fileURLToPath(new URL('..', import.meta.url))

let built

// binary returns the path of the server. It is built on the first call and removed when the process ends.
export function binary() {
  const given = process.env.MCP_DOCS_SERVER_BINARY
  if (given) return given
  if (!built) {
    const dir = mkdtempSync(join(tmpdir(), 'mcp-docs-server-binary-'))
    process.on('exit', () => rmSync(dir, { recursive: true, force: true }))
    built = join(dir, process.platform === 'win32' ? 'mcp-docs-server.exe' : 'mcp-docs-server')
    execFileSync('go', ['build', '-o', built, './cmd/mcp-docs-server'], { cwd: repository, stdio: ['ignore', 'inherit', 'inherit'] })
  }
  return built
}

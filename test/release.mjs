// The files of a release of this repository: those that MCP_DOCS_SERVER_RELEASE has, or made into a temporary folder.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const repository = fileURLToPath(new URL('..', import.meta.url))

export const version = '1.4.2'

// The platforms that there are programs for.
export const platforms = ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64', 'win32-arm64', 'win32-x64']

let made

// release returns the folder. It is made on the first call, which takes a while, and removed when the process ends.
export function release() {
  const given = process.env.MCP_DOCS_SERVER_RELEASE
  if (given) return given
  if (!made) {
    const dir = mkdtempSync(join(tmpdir(), 'mcp-docs-server-dist-'))
    process.on('exit', () => rmSync(dir, { recursive: true, force: true }))
    execFileSync('go', ['run', './internal/dev/release', '-version', version, '-output', dir], { cwd: repository, stdio: ['ignore', 'ignore', 'inherit'] })
    made = dir
  }
  return made
}

// program returns the path of the program for a platform.
export const program = (platform) => join(release(), 'bin', `mcp-docs-server-${platform}${platform.startsWith('win32') ? '.exe' : ''}`)

// tarballs returns the npm packages in the order in which they must be published.
export const tarballs = () => [...platforms.map((platform) => `cli-${platform}`), 'cli'].map((name) => join(release(), 'npm', `mcp-docs-server-${name}-${version}.tgz`))

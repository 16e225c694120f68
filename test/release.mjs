// The files of a release of this repository: the folder that MCP_DOCS_SERVER_RELEASE names, or a release in a temporary folder.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const repository = fileURLToPath(new URL('..', import.meta.url))

export const version = '1.4.2'

// The platforms with programs.
export const platforms = ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64', 'win32-arm64', 'win32-x64']

let made

// release returns the folder. The first call makes it, which takes a while. It is removed when the process ends.
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

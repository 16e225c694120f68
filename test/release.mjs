// The npm packages of a release of this repository: in the folder that MCP_DOCS_SERVER_RELEASE names, or a temporary folder.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const repository = fileURLToPath(new URL('..', import.meta.url))

export const version = '1.4.2'

// The platforms with programs, unless MCP_DOCS_SERVER_PLATFORMS names fewer.
export const platforms = (process.env.MCP_DOCS_SERVER_PLATFORMS ?? 'darwin-arm64,darwin-x64,linux-arm64,linux-x64,win32-arm64,win32-x64').split(',')

let made

const go = (...args) => execFileSync('go', ['run', './internal/dev/release', ...args], { cwd: repository, stdio: ['ignore', 'ignore', 'inherit'] })

// release returns the folder. The first call makes it, which takes a while. It is removed when the process ends.
export function release() {
  const given = process.env.MCP_DOCS_SERVER_RELEASE
  if (given) return given
  if (!made) {
    made = mkdtempSync(join(tmpdir(), 'mcp-docs-server-dist-'))
    process.on('exit', () => rmSync(made, { recursive: true, force: true }))
    go('-version', version, '-all', '-only', platforms.join(','), made)
    go('-version', version, join(made, 'local'))
  }
  return made
}

const tarball = (name) => join(release(), `mcp-docs-server-${name}-${version}.tgz`)

// program returns the path of the program for a platform.
export function program(platform) {
  const dir = join(release(), platform)
  if (!existsSync(dir)) {
    mkdirSync(dir)
    execFileSync('tar', ['-xzf', tarball(`cli-${platform}`), '-C', dir])
  }
  return join(dir, 'package/bin', `mcp-docs-server${platform.startsWith('win32') ? '.exe' : ''}`)
}

// tarballs returns the npm packages in the order in which they must be published.
export const tarballs = () => [...platforms.map((platform) => `cli-${platform}`), 'cli'].map(tarball)

// local returns the package that has the program for this computer in it.
export const local = () => join(release(), 'local', `mcp-docs-server-cli-${version}.tgz`)

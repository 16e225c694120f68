// The programs and npm packages of a release of this repository: the folder that MCP_DOCS_SERVER_RELEASE names, or a temporary folder.
// The programs are built with the flags of .goreleaser.yaml, but without GoReleaser.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
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
    const go = (args, env) => execFileSync('go', args, { cwd: repository, env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'inherit'] })
    const config = readFileSync(join(repository, '.goreleaser.yaml'), 'utf8')
    const flags = config.match(/ flags: \[(.*)\]/)[1].split(', ')
    const ldflags = config.match(/ ldflags: (.*)/)[1].replace('{{ .Version }}', version)
    made = dir
    for (const platform of platforms) {
      const [system, processor] = platform.split('-')
      go(['build', ...flags, '-ldflags', ldflags, '-o', program(platform), './cmd/mcp-docs-server'],
        { CGO_ENABLED: '0', GOFLAGS: '', GOOS: system === 'win32' ? 'windows' : system, GOARCH: processor === 'x64' ? 'amd64' : processor })
    }
    go(['run', './internal/dev/release', '-version', version, dir])
  }
  return made
}

// program returns the path of the program for a platform.
export const program = (platform) => join(release(), 'bin', `mcp-docs-server-${platform}${platform.startsWith('win32') ? '.exe' : ''}`)

// tarballs returns the npm packages in the order in which they must be published.
export const tarballs = () => [...platforms.map((platform) => `cli-${platform}`), 'cli'].map((name) => join(release(), 'npm', `mcp-docs-server-${name}-${version}.tgz`))

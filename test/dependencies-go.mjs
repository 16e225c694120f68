// Whether serve --deps has the documents of the Go modules that projects use. It asks the go command which modules and
// packages each project uses, and compares that with what is served. Then it asks questions whose page is known. The questions
// were written before anything was searched.
//
//   node dependencies-go.mjs [DIR]
//
// DIR has a clone of each project, in a folder such as charmbracelet+glow, whose modules come from the network. Without it,
// this repository is the only project, and its questions decide nothing.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { DependencyServer } from './dependencies-server.mjs'

const repository = dirname(dirname(fileURLToPath(import.meta.url)))
const base = process.argv[2] && resolve(process.argv[2])

const projects = [
  { name: 'mcp-docs-server', dir: repository, questions: [
    ['make a flag of a cobra command required', /spf13\/cobra@[^/]+\/cobra\.md/],
    ['match a path with ** and alternatives in braces', /bmatcuk\/doublestar\/v4@[^/]+\/(doublestar|README)\.md/],
    ['limit the number of goroutines of an errgroup', /x\/sync@[^/]+\/errgroup\.md/],
    ['does fsnotify watch subdirectories recursively', /fsnotify\/fsnotify@[^/]+\/(fsnotify|README)\.md/],
    ['semver.Compare with pre-releases', /x\/mod@[^/]+\/semver\.md/],
    ['rate.Limiter.WaitN', /x\/time@[^/]+\/rate\.md/],
    ['prometheus histogram with exponential buckets', /client_golang@[^/]+\/prometheus\.md/],
    ['allocate a new pgx connection pool from a config', /jackc\/pgx\/v5@[^/]+\/pgxpool\.md/],
    ['mcp.AddTool input schema from a struct', /go-sdk@[^/]+\/(mcp\.md|docs\/.*)/],
    ['goldmark enable tables and strikethrough', /yuin\/goldmark@[^/]+\/(README|extension)\.md/],
  ] },
  { name: 'charmbracelet+glow', questions: [
    ['tea.Batch run commands at the same time', /bubbletea@[^/]+\/bubbletea\.md/],
    ['lipgloss put blocks of text side by side', /lipgloss@[^/]+\/(README|lipgloss)\.md/],
    ['glamour renderer word wrap', /glamour@[^/]+\/glamour\.md/],
  ] },
  { name: 'gitleaks+gitleaks', questions: [['zerolog human readable console output', /rs\/zerolog@[^/]+\/(README|zerolog)\.md/]] },
  { name: 'go-task+task', questions: [['topological sort of a directed graph', /dominikbraun\/graph@[^/]+\/(README|graph|docs\/.*)\.md/]] },
  { name: 'golang+tools/gopls' }, // replaces a module by a folder
  { name: 'jesseduffield+lazygit', questions: [['lo group a slice by key', /samber\/lo@[^/]+\/(README|lo)\.md/]] }, // has vendor
  { name: 'junegunn+fzf', questions: [['tcell Screen.PollEvent', /tcell\/v2@[^/]+\/tcell\.md/]] },
  { name: 'kubernetes-sigs+kustomize' }, // has go.work
  { name: 'mikefarah+yq', questions: [['participle define a lexer with states', /participle\/v2@[^/]+\/(README|lexer)\.md/]] },
  { name: 'syncthing+syncthing', questions: [ // replaces modules by others
    ['try to lock a file until a context ends', /gofrs\/flock@[^/]+\/(flock|README)\.md/],
    ['httprouter catch-all parameters', /julienschmidt\/httprouter@[^/]+\/(README|httprouter)\.md/],
  ] },
]

function go(dir, ...args) {
  const { status, stdout, stderr } = spawnSync('go', args, { cwd: dir, encoding: 'utf8', maxBuffer: 1 << 28 })
  if (status !== 0) throw new Error(`go ${args.join(' ')} in ${dir}: ${stderr}`)
  return stdout
}

// objects parses the JSON objects that the go command prints one after the other.
const objects = (text) => JSON.parse('[' + text.replace(/\}\n(?=\{)/g, '},\n') + ']')

// used returns the direct modules of a project, and the packages of them that it imports.
function used(dir) {
  const modules = objects(go(dir, 'list', '-mod=readonly', '-m', '-e', '-json', 'all'))
  const own = modules.filter((m) => m.Main).map((m) => m.Path + '/...')
  const imported = new Set(objects(go(dir, 'list', '-e', '-json=Imports,TestImports,XTestImports', ...own))
    .flatMap((p) => [...(p.Imports ?? []), ...(p.TestImports ?? []), ...(p.XTestImports ?? [])]))
  const byPath = new Map(modules.map((m) => [m.Path, { ...m, real: m.Replace ?? m, packages: [] }]))
  for (const path of imported) {
    let owner = path
    while (owner !== '.' && !byPath.has(owner)) owner = dirname(owner)
    byPath.get(owner)?.packages.push(path)
  }
  return [...byPath.values()].filter((m) => !m.Main && (!m.Indirect || m.packages.length))
}

let failed = false
const score = { asked: 0, found: 0 }
const cache = mkdtempSync(join(tmpdir(), 'mcp-docs-server-dependencies-go-'))
for (const project of projects.filter((p) => base || p.dir)) {
  const dir = project.dir ?? join(base, project.name)
  if (existsSync(join(dir, 'go.work')) || !existsSync(join(dir, 'vendor'))) go(dir, 'mod', 'download')
  const modules = used(dir)
  const server = new DependencyServer(dir, cache)
  await server.start()
  const problems = []
  let packages = 0
  for (const m of modules) {
    if (!m.real.Version) { // a folder
      if (!(await server.text({ paths: [`deps/go/${m.Path}@${m.Version}`] })).includes('is replaced by a folder')) problems.push(m.Path)
      continue
    }
    const listing = await server.text({ paths: [`deps/go/${m.real.Path}@${m.real.Version}`] })
    if (!listing.includes(`go ${m.real.Path} ${m.real.Version}`) || listing.includes('error:')) problems.push(`${m.real.Path}@${m.real.Version}`)
    for (const path of m.packages) {
      const name = path === m.Path ? path.replace(/\/v\d+$/, '').split('/').pop() : path.slice(m.Path.length + 1)
      packages++
      const texts = await server.text({ paths: [`deps/go/${m.real.Path}@${m.real.Version}/${name}.md`, `deps/go/${m.real.Path}@${m.real.Version}/${name}.api.md`], limit: 5 })
      if (!texts.includes(`\`import "${path}"\``)) problems.push(path)
    }
  }
  console.log(`${project.name}: ${modules.length} direct modules, ${packages} imported packages` + (problems.length ? `; not served: ${problems.join(', ')}` : ', all served in their versions'))
  failed ||= problems.length > 0 || modules.length === 0
  score.asked += project.questions?.length ?? 0
  score.found += await server.found(project.questions)
  await server.end()
}
rmSync(cache, { recursive: true, force: true })
console.log(`${score.found} of ${score.asked} questions have the right page among the first three passages`)
if (failed || base && score.found < 0.85 * score.asked) process.exit(1)

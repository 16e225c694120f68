// Whether serve --deps has the documents of what npm, pnpm, Yarn and Bun install. It installs ten projects of different
// kinds from the registry, without their scripts, and compares what is served with what is on the disk. Then it asks
// questions whose page is known. The questions were written before anything was installed.
//
//   npm ci && node dependencies.mjs [DIR]
//
// DIR keeps the installed projects; without it they are removed at the end. It needs the network and some minutes.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { DependencyServer } from './dependencies-server.mjs'

const here = dirname(fileURLToPath(import.meta.url))
const keep = process.argv[2] && resolve(process.argv[2])
const base = keep ?? mkdtempSync(join(tmpdir(), 'mcp-docs-server-dependencies-'))

const npm = (...more) => ({ command: 'npm', args: ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', ...more] })
const bin = (name) => join(here, 'node_modules', '.bin', name)
const pnpm = { command: bin('pnpm'), args: ['install', '--ignore-scripts', '--no-frozen-lockfile'] }
const yarn1 = { command: 'npx', args: ['--yes', 'yarn@1.22.22', 'install', '--ignore-scripts', '--ignore-engines', '--non-interactive', '--silent'] }
const yarn4 = { command: 'node', args: [join(here, 'node_modules', '@yarnpkg', 'cli-dist', 'bin', 'yarn.js'), 'install', '--mode=skip-build', '--no-immutable'] }
const bun = { command: bin('bun'), args: ['install', '--ignore-scripts', '--save-text-lockfile', '--silent'] }
const any = (...names) => Object.fromEntries(names.map((n) => [n.replace(/(?<=.)@\d+$/, ''), n.match(/(?<=.)@(\d+)$/)?.[1] ?? '*']))

const projects = [
  { name: 'next', install: npm(), dependencies: any('next@16', 'react@19', 'react-dom@19', 'ai@6', '@ai-sdk/react@3', 'zod@4', 'swr', 'zustand@5', 'tailwind-merge', 'clsx', 'react-hook-form', '@types/react'),
    questions: [
      ['resume a chat stream after reload', /ai@.*resume-streams/],
      ['show a loading skeleton while a route segment loads', /next@.*loading\.md/],
      ['generate a sitemap for the site', /next@.*sitemap/],
      ['generate structured data with a schema from a model', /ai@.*generating-structured-data/],
      ['revalidate cached data by tag', /next@.*revalidateTag|next@.*cacheTag/],
      ['test code that calls a language model with a mock provider', /ai@.*testing/],
      ['persist a zustand store in local storage', /zustand@.*README/i],
    ] },
  { name: 'vite', install: npm(), dependencies: any('vite', 'react', 'react-router', '@vitejs/plugin-react', 'vitest', '@testing-library/react', 'msw', 'date-fns', '@tanstack/react-query') },
  { name: 'express', install: npm('--lockfile-version=1'), dependencies: any('express@5', 'cors', 'helmet', 'express-rate-limit', 'pino', 'jsonwebtoken', 'dotenv', 'multer', 'compression', 'mongoose'),
    questions: [
      ['limit repeated requests to an API by ip address', /express-rate-limit@.*readme/i],
      ['allow requests from another origin only for some hosts', /cors@.*README/i],
      ['verify a token and check its expiration', /jsonwebtoken@.*README/i],
      ['set the content security policy header', /helmet@.*README/i],
    ] },
  { name: 'pnpm', install: pnpm, files: { 'pnpm-workspace.yaml': 'packages:\n  - packages/*\n', 'packages/cli/package.json': { name: 'cli', version: '1.0.0', dependencies: { ...any('commander@14', 'chalk', 'zx'), server: 'workspace:*' } },
    'packages/server/package.json': { name: 'server', version: '1.0.0', dependencies: any('hono', 'drizzle-orm', 'nanoid', 'zod@3') } }, dependencies: any('prettier'), folders: ['.', 'packages/cli', 'packages/server'],
    questions: [['parse command line options with a required argument', /commander@.*Readme/i]] },
  { name: 'yarn1', install: yarn1, dependencies: any('fastify@5', 'axios', 'lodash', 'joi', 'uuid', 'winston'),
    questions: [
      ['add a response interceptor to refresh an expired token', /axios@.*README/i],
      ['hook that runs before the handler', /fastify@.*Hooks/],
      ['serialize a response with a json schema', /fastify@.*(Validation-and-Serialization|Getting-Started)/],
      ['rotate log files and write errors to another file', /winston@.*README/i],
    ] },
  { name: 'yarn4', install: yarn4, files: { '.yarnrc.yml': 'nodeLinker: node-modules\nenableTelemetry: false\n', 'yarn.lock': '' }, dependencies: any('undici@7', 'ioredis', 'koa', '@koa/router', 'nodemailer'),
    questions: [
      ['mock http requests in tests with an interceptor', /undici@.*Mock/],
      ['use a proxy for fetch', /undici@.*ProxyAgent/],
    ] },
  { name: 'bun', install: bun, dependencies: any('elysia', '@sinclair/typebox', 'pg', 'kysely', 'jose') },
  { name: 'cli', install: npm(), dependencies: any('yargs', 'execa', 'ora', 'inquirer', 'got', 'semver', 'chokidar', 'marked'),
    questions: [
      ['run a shell command and iterate over its output lines', /execa@.*readme/i],
      ['show a spinner while a promise is pending', /ora@.*readme/i],
    ] },
  { name: 'workspaces', install: npm(), files: { 'apps/web/package.json': { name: 'web', version: '1.0.0', dependencies: { ...any('vue', 'pinia', 'vue-router'), shared: '*' } }, 'libs/shared/package.json': { name: 'shared', version: '1.0.0', dependencies: any('rxjs', 'immer', 'semver@6') } },
    workspaces: ['apps/*', 'libs/*'], dependencies: any('semver@7', 'turbo'), folders: ['.', 'apps/web', 'libs/shared'] },
  { name: 'tools', install: npm(), dependencies: any('eslint', 'typescript', 'jest', 'mocha', '@playwright/test', 'esbuild', 'rollup', 'prettier', 'husky', 'lint-staged') },
]

// installed returns the direct dependencies of a project with a README or CHANGELOG, as name@version.
function installed(dir, project) {
  const found = new Set()
  for (const folder of project.folders ?? ['.']) {
    const manifest = JSON.parse(readFileSync(join(dir, folder, 'package.json')))
    for (const name of Object.keys({ ...manifest.dependencies, ...manifest.devDependencies })) {
      if (name.startsWith('@types/')) continue // their READMEs are about DefinitelyTyped
      for (let at = join(dir, folder); ; at = dirname(at)) {
        const place = join(at, 'node_modules', name)
        if (existsSync(join(place, 'package.json'))) {
          if (!realpathSync(place).includes('node_modules')) break // of the workspace
          if (readdirSync(place).some((f) => /^(readme|changelog)(\.(md|markdown))?$/i.test(f))) found.add(name + '@' + JSON.parse(readFileSync(join(place, 'package.json'))).version)
          break
        }
        if (at === dir) break
      }
    }
  }
  return [...found].sort()
}

let failed = false
const score = { asked: 0, found: 0 }
for (const project of projects) {
  const dir = join(base, project.name)
  if (!existsSync(join(dir, 'done'))) {
    mkdirSync(dir, { recursive: true })
    const files = { 'package.json': { name: project.name + '-project', version: '1.0.0', private: true, workspaces: project.workspaces, dependencies: project.dependencies }, ...project.files }
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(join(dir, name)), { recursive: true })
      writeFileSync(join(dir, name), typeof content === 'string' ? content : JSON.stringify(content, null, 2))
    }
    execFileSync(project.install.command, project.install.args, { cwd: dir, stdio: ['ignore', 'ignore', 'inherit'], env: { ...process.env, CI: '' } })
    writeFileSync(join(dir, 'done'), '')
  }
  const server = new DependencyServer(dir, join(base, 'cache'))
  await server.start()
  const wanted = installed(dir, project)
  const missing = []
  for (const name of wanted) {
    const text = await server.text({ paths: ['deps/npm/' + name] })
    if (!text.includes(`package: "npm ${name.replace(/@(?=[^@]*$)/, ' ')}"`) && !text.includes(`package: npm ${name.replace(/@(?=[^@]*$)/, ' ')}\n`) || text.includes('error:')) missing.push(name)
  }
  console.log(`${project.name}: ${wanted.length - missing.length} of ${wanted.length} direct dependencies with documents are served in the installed version` + (missing.length ? `; missing: ${missing.join(', ')}` : ''))
  failed ||= missing.length > 0 || wanted.length === 0
  score.asked += project.questions?.length ?? 0
  score.found += await server.found(project.questions)
  await server.end()
}
console.log(`${score.found} of ${score.asked} questions have the right page among the first three passages`)
if (!keep) rmSync(base, { recursive: true, force: true })
if (failed || score.found < 0.85 * score.asked) process.exit(1)

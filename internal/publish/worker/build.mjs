// Bundles the sources into worker.js and server.cjs, which are committed. The npm packages come from test/package.json.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const { build } = createRequire(new URL('../../../test/', import.meta.url))('esbuild')

const licence = readFileSync(new URL('../../../LICENSE', import.meta.url), 'utf8').trim()

const bundle = (as, options) => build({
  absWorkingDir: import.meta.dirname,
  bundle: true,
  charset: 'utf8',
  banner: { js: `// Code generated from src by build.mjs; DO NOT EDIT.\n/*!\nAnswers as \`mcp-docs-server ${as}\` does.\n\n${licence}\n*/` },
  legalComments: 'inline',
  logLevel: 'warning',
  ...options,
})

await bundle('serve --http', { entryPoints: ['src/worker.ts'], outfile: 'worker.js', format: 'esm', target: 'es2024', platform: 'neutral', minify: true })
await bundle('serve', { entryPoints: ['src/node.ts'], outfile: 'server.cjs', format: 'cjs', target: 'node18', platform: 'node' })

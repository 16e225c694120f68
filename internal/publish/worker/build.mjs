// Bundles the sources into worker.js, which is committed. The npm packages come from test/package.json.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const { build } = createRequire(new URL('../../../test/', import.meta.url))('esbuild')

const licence = readFileSync(new URL('../../../LICENSE', import.meta.url), 'utf8').trim()

await build({
  absWorkingDir: import.meta.dirname,
  entryPoints: ['src/worker.ts'],
  outfile: 'worker.js',
  bundle: true,
  format: 'esm',
  target: 'es2024',
  platform: 'neutral',
  charset: 'utf8',
  minifySyntax: true,
  minifyWhitespace: true,
  minifyIdentifiers: true,
  keepNames: false,
  banner: { js: `// Code generated from src by build.mjs; DO NOT EDIT.\n/*!\nAnswers as \`mcp-docs-server serve --http\` does.\n\n${licence}\n*/` },
  legalComments: 'inline',
  logLevel: 'warning',
})

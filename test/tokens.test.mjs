// The tests of the server compare its estimates with recorded counts of tokens. These counts come from o200k_base.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { encode } from 'gpt-tokenizer/encoding/o200k_base'

const folder = new URL('../internal/text/tokens/testdata/', import.meta.url)

test('recorded counts of tokens equal the counts of o200k_base', () => {
  const recorded = JSON.parse(readFileSync(new URL('counts.json', folder), 'utf8'))
  const texts = readdirSync(folder).filter((name) => name !== 'counts.json' && name !== 'fuzz')
  assert.deepEqual(recorded, Object.fromEntries(texts.map((name) => [name, encode(readFileSync(new URL(name, folder), 'utf8')).length])))
})

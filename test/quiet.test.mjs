// Clients are not notified of events that change neither the list nor the bytes, and broken files change nothing.
import assert from 'node:assert/strict'
import { utimesSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { clients, list } from './clients.mjs'
import { Follower, listChanged, Live, until, updated } from './live.mjs'

const same = 'notes://h/same.md'

// The servers mostly wait between notifications, so the tests run at the same time.
describe('each client gets', { concurrency: true }, () => {
  for (const kind of clients) {
    describe(kind.name, { timeout: 300_000, concurrency: 1 }, () => {
      let f, project
      before(async () => {
        project = new Live({ 'notes/h/same.md': 'same', 'notes/h/sub/x.md': 'x', 'code/main.go': 'package main\n' }, [['notes://h/{name}', 'notes/h']])
        f = new Follower(kind, project, [same])
        await f.start()
      })
      after(() => f?.stop())

      test('no notification for a file that is touched', async () => {
        assert.deepEqual(await f.heard(() => {
          const time = new Date(Date.now() - 1e6)
          utimesSync(project.on('notes/h/same.md'), time, time)
          utimesSync(project.on('notes/h/sub/x.md'), time, time)
        }), [])
        assert.deepEqual(await f.heard(() => {
          project.put('notes/h/same.md', 'same')
        }).then((items) => items.filter((item) => item !== `${updated} ${same}`)), []) // the file was empty for a moment
        assert.deepEqual(await f.heard(() => project.replace('notes/h/same.md', 'same')), [])
        assert.equal(f.mirror.texts.get(same), 'same')
      })

      test('no notification of the list for another size or time', async () => {
        assert.deepEqual(await f.heard(async () => {
          project.replace('notes/h/sub/x.md', 'much longer than it was')
          await until(() => f.client.readResource({ uri: 'notes://h/sub/x.md' }).then(({ contents }) => contents[0].text === 'much longer than it was'))
        }), [])
        await f.settles()
      })

      test('templates only when they are valid', async () => {
        const change = (text) => project.replace('templates.json', text)
        const templates = async () => (await list(f.client, 'listResourceTemplates', 'resourceTemplates')).map(({ uriTemplate }) => uriTemplate)
        const loglines = () => f.log.filter((line) => line.includes('templates.json'))
        assert.deepEqual(await templates(), ['notes://h/{name}'])
        for (const [i, broken] of ['[{', '[{"uriTemplate": "notes://h/{name", "name": "x"}, {"name": 1}]'].entries()) {
          assert.deepEqual(await f.heard(async () => {
            change(broken)
            await until(() => loglines().length > i, () => f.log.join('\n'))
          }), [])
          project.put('notes/h/meanwhile.md', `${i}`)
          await f.settles()
          assert.deepEqual(await templates(), ['notes://h/{name}'])
          assert.equal(loglines().length, i + 1, f.log.join('\n'))
        }
        assert.deepEqual(await f.heard(async () => {
          change('[{"uriTemplate": "code://{name}.go", "name": "Program"}]')
          await until(async () => (await templates())[0] === 'code://{name}.go')
        }), [listChanged])
        assert.deepEqual(await templates(), ['code://{name}.go'])
        assert.equal(loglines().length, 2, f.log.join('\n'))
        await f.settles()
      })
    })
  }
})

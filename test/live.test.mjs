// Every official client is notified of changes of a project, and then reads the new state.
import assert from 'node:assert/strict'
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { clients } from './clients.mjs'
import { Follower, listChanged, Live, updated } from './live.mjs'

const files = {
  'notes/h/a.md': 'a', 'notes/h/with space.md': 'space', 'notes/h/\u00e9 100%.md': 'accent', 'notes/h/gone.md': 'here', 'notes/h/old.md': 'old', 'notes/h/doomed.md': 'doomed',
  'notes/h/sub/x.md': 'x', 'code/main.go': 'package main\n', 'code/h/data.bin': Buffer.from([0, 255]),
}
// subscribed are URIs as a client may spell them; two of them name the same file.
const [a, space, space2, accent, gone] = ['notes://h/a.md', 'notes://h/with space.md', 'NOTES://h/%77ith%20space.md/', 'notes://h/%c3%a9 100%.md', 'notes://h/gone.md']
const subscribed = [a, space, space2, accent, gone]

// happens has the changes of a project. The tests of a list use one client, one after the other.
const happens = {
  'files that change': {
    'a created file': async ({ f, project }) => {
      assert.deepEqual(await f.heard(() => {
        project.put('notes/h/new.md', 'new')
        return f.settles()
      }), [listChanged])
    },

    'an edited file': async ({ f, project, mirror }) => {
      for (const text of ['same size', 'Same size', '']) {
        assert.deepEqual(await f.heard(() => {
          project.put('notes/h/a.md', text)
          return mirror.holds(a, text)
        }), [`${updated} ${a}`])
      }
      assert.deepEqual(await f.heard(() => {
        project.replace('notes/h/a.md', 'replaced')
        return mirror.holds(a, 'replaced')
      }), [`${updated} ${a}`])
      await f.settles()
    },

    'an edited file, by the spelling that was subscribed': async ({ f, project, mirror }) => {
      assert.deepEqual(await f.heard(async () => {
        project.put('notes/h/with space.md', 'one file')
        project.put('notes/h/\u00e9 100%.md', 'another')
        for (const [uri, text] of [[space, 'one file'], [space2, 'one file'], [accent, 'another']]) await mirror.holds(uri, text)
      }), [accent, space, space2].map((uri) => `${updated} ${uri}`).sort())
      await f.settles()
    },

    'a renamed file': async ({ f, project }) => {
      assert.deepEqual(await f.heard(() => {
        project.rename('notes/h/old.md', 'notes/h/renamed.md')
        return f.settles()
      }), [listChanged])
      await f.misses('notes://h/old.md')
    },

    'a deleted file': async ({ f, project }) => {
      assert.deepEqual(await f.heard(() => {
        project.delete('notes/h/doomed.md')
        return f.settles()
      }), [listChanged])
      await f.misses('notes://h/doomed.md')
    },
  },
  'files that go, folders and branches': {
    'a subscribed file that vanishes and returns': async ({ f, project, mirror }) => {
      for (const text of ['here', 'more']) {
        assert.deepEqual(await f.heard(async () => {
          project.delete('notes/h/gone.md')
          await mirror.holds(gone, undefined)
          await f.settles()
        }), [listChanged, `${updated} ${gone}`])
        assert.deepEqual(await f.heard(async () => {
          project.put('notes/h/gone.md', text)
          await mirror.holds(gone, text)
          await f.settles()
        }), [listChanged, `${updated} ${gone}`])
      }
      project.rename('notes/h/gone.md', 'notes/h/away.md')
      await mirror.holds(gone, undefined)
      project.rename('notes/h/away.md', 'notes/h/gone.md')
      await mirror.holds(gone, 'more')
      await f.settles()
    },

    'a folder that is moved in, renamed, filled and moved out': async ({ f, project }) => {
      const outside = join(project.outside, 'folder')
      mkdirSync(join(outside, 'deep/deeper'), { recursive: true })
      for (const name of ['1.md', 'deep/2.md', 'deep/deeper/3.md']) writeFileSync(join(outside, name), name)
      renameSync(outside, project.on('notes/h/folder'))
      await f.settles()
      project.put('notes/h/folder/deep/deeper/4.md', '4')
      await f.settles()
      project.rename('notes/h/folder', 'fresh/h/folder')
      await f.settles()
      await f.misses('notes://h/folder/deep/2.md')
      project.put('fresh/h/folder/deep/deeper/5.md', '5')
      await f.settles()
      project.rename('fresh/h/folder', 'notes/h/folder')
      project.put('notes/h/folder/deep/6/7/8.md', '8')
      await f.settles()
      renameSync(project.on('notes/h/folder'), outside)
      await f.settles()
    },

    'a checkout of another branch': async ({ f, project, mirror }) => {
      project.git('init', '--quiet', '--initial-branch=first')
      project.git('config', 'user.name', 'Test')
      project.git('config', 'user.email', 'test@localhost')
      const commit = () => {
        project.git('add', '--all')
        project.git('commit', '--quiet', '--message=files')
      }
      project.put('notes/h/a.md', 'first')
      project.put('notes/h/gone.md', 'here')
      for (let i = 0; i < 100; i++) project.put(`pages/h/${i % 10}/${i}.md`, `first ${i}`)
      commit()
      project.git('checkout', '--quiet', '-b', 'second')
      project.put('notes/h/a.md', 'second')
      project.delete('notes/h/gone.md')
      project.delete('pages/h/3')
      project.rename('pages/h/4', 'pages/h/new/4')
      for (let i = 0; i < 100; i += 7) project.put(`pages/h/${i % 10}/${i}.md`, `second ${i}`)
      for (let i = 0; i < 50; i++) project.put(`other/h/a/${i % 5}/${i}.md`, `other ${i}`)
      commit()
      await f.settles()
      for (let i = 0; i < 2; i++) {
        for (const [branch, here] of [['first', 'here'], ['second', undefined]]) {
          project.git('checkout', '--quiet', branch)
          await mirror.holds(a, branch)
          await mirror.holds(gone, here)
          await f.settles()
        }
      }
    },
  },
}

// The servers mostly wait between notifications, so the tests run at the same time.
describe('each client is notified of', { concurrency: true }, () => {
  for (const kind of clients) {
    for (const [what, tests] of Object.entries(happens)) {
      describe(`${kind.name}: ${what}`, { timeout: 300_000, concurrency: 1 }, () => {
        let f
        before(async () => {
          f = new Follower(kind, new Live(files, [['notes://h/{name}', 'notes/h']]), subscribed)
          await f.start()
        })
        after(() => f?.stop())
        for (const [name, act] of Object.entries(tests)) test(name, () => act({ f, project: f.project, mirror: f.mirror }))
      })
    }
  }
})

// Files in temporary folders.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

// put writes files, by path, to a folder.
export function put(dir, files, encoding) {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true })
    writeFileSync(join(dir, path), content, encoding)
  }
}

// folder makes a folder with files. It is removed with the test or suite to which after belongs.
export function folder(after, files = {}, encoding) {
  const dir = mkdtempSync(join(tmpdir(), 'mds-'))
  after(() => rmSync(dir, { recursive: true, force: true }))
  put(dir, files, encoding)
  return dir
}

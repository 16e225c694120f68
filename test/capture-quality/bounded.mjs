// Runs tasks in a process that can be ended, because some programs take minutes for a large page, and jsdom keeps memory.
import { fork } from 'node:child_process'
import path from 'node:path'

const maxMemory = 1e9 // bytes
let child

// work returns the result of a task of worker.mjs, { result }, or the reason why it has none, { error, late }.
export async function work(task, seconds) {
  child ??= fork(path.join(import.meta.dirname, 'worker.mjs'), { serialization: 'advanced', stdio: ['ignore', 'ignore', 'ignore', 'ipc'] })
  const answer = await new Promise((resolve) => {
    const timer = setTimeout(() => resolve({ error: `it takes more than ${seconds} s`, late: true }), 1000 * seconds)
    child.removeAllListeners()
    child.once('message', (answer) => { clearTimeout(timer); resolve(answer) })
    child.once('exit', () => { clearTimeout(timer); resolve({ error: 'its process ended', ended: true }) })
    child.send(task)
  })
  if (answer.late || answer.ended || answer.memory > maxMemory) stop()
  return answer
}

export function stop() {
  child?.removeAllListeners()
  child?.kill('SIGKILL')
  child = undefined
}

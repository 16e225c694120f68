// Does one task at a time for bounded.mjs.
import fs from 'node:fs'
import { converters } from './converters.mjs'
import generators from './generators.mjs'
import { measure, parse, truth } from './measure.mjs'

const tasks = {
  truth: ({ file, url, generator }) => truth(parse(fs.readFileSync(file), url), generators.find((g) => g.name === generator)),
  convert: ({ converter, file, charset, url }) => converters[converter](fs.readFileSync(file, charset), url),
  measure: ({ markdown, url, belongs }) => measure(markdown, url, belongs),
}

process.on('message', async ({ task, ...rest }) => {
  let answer
  try { answer = { result: await tasks[task](rest) } } catch (error) { answer = { error: String(error) } }
  process.send({ ...answer, memory: process.memoryUsage.rss() })
})

// The programs that are compared with ours. Each converts the bytes of a page to Markdown.
import { Readability } from '@mozilla/readability'
import { Defuddle } from 'defuddle/node'
import TurndownService from 'turndown'
import { gfm } from 'turndown-plugin-gfm'
import { parse } from './measure.mjs'

const turndown = () => {
  const service = new TurndownService({ headingStyle: 'atx', codeBlockStyle: 'fenced', hr: '---' })
  service.use(gfm)
  service.remove(['script', 'style', 'noscript', 'template'])
  return service
}

export const converters = {
  'readability.js, turndown': (body, url) => {
    const article = new Readability(parse(body, url)).parse()
    return article ? `# ${article.title}\n\n${turndown().turndown(article.content)}` : ''
  },
  defuddle: async (body, url) => {
    const result = await Defuddle(parse(body, url), url, { markdown: true })
    return `# ${result.title}\n\n${result.content}`
  },
  'whole page, turndown': (body, url) => turndown().turndown(parse(body, url).body),
}

// Compares Markdown with the elements that belong to a page.
import { JSDOM, VirtualConsole } from 'jsdom'
import MarkdownIt from 'markdown-it'

const virtualConsole = new VirtualConsole() // ignores the messages of jsdom about style sheets
export const parse = (html, url) => new JSDOM(html, { url, virtualConsole }).window.document

const inline = new Set('A ABBR ACRONYM B BDI BDO BIG CITE CODE DATA DEL DFN EM FONT I INS KBD LABEL MARK NOBR Q RP RT RUBY S SAMP SMALL SPAN STRIKE STRONG TIME TT U VAR WBR'.split(' '))
const unseen = new Set('SCRIPT STYLE TEMPLATE NOSCRIPT SVG BUTTON SELECT INPUT TEXTAREA HEAD MATH IFRAME OBJECT'.split(' '))

// text returns the text of an element. Elements that begin a line end a word, as do <sup> and <sub>.
export function text(node) {
  if (node.nodeType === 3) return node.data
  if (node.nodeType !== 1 || unseen.has(node.tagName.toUpperCase())) return ''
  let all = ''
  for (const child of node.childNodes) all += text(child)
  return inline.has(node.tagName.toUpperCase()) ? all : ` ${all} `
}

const raised = /[\u00b2\u00b3\u00b9\u2070-\u209f]+/g
export const words = (s) => s.replace(raised, ' $& ').normalize('NFKC').toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
const bare = (s) => words(s).join('')
const bag = (list) => { const m = new Map(); for (const w of list) m.set(w, (m.get(w) ?? 0) + 1); return m }
const shared = (a, b) => { let n = 0; for (const [w, count] of a) n += Math.min(count, b.get(w) ?? 0); return n }

// outermost leaves out elements that are inside other elements of the list.
const outermost = (list) => {
  const all = new Set(list)
  return list.filter((e) => { for (let p = e.parentNode; p; p = p.parentNode) if (all.has(p)) return false; return true })
}
const select = (doc, selector) => selector ? [...doc.querySelectorAll(selector)] : []

// parts returns the blocks, links, headings and rows of some elements.
function parts(tops) {
  const all = (selector) => tops.flatMap((top) => [...(top.matches(selector) ? [top] : []), ...top.querySelectorAll(selector)])
  const rows = (table) => [...table.querySelectorAll('tr')].map((row) => [...row.children].filter((c) => /^T[DH]$/.test(c.tagName) && bare(text(c))))
  const tables = all('table').filter((t) => !t.querySelector('table') && t.getAttribute('role') !== 'presentation' && rows(t).filter((row) => row.length > 1).length > 1)
  return {
    code: all('pre').map((pre) => bare(text(pre))).filter(Boolean),
    links: all('a[href]').filter((a) => bare(text(a)) && /^https?:$/.test(a.protocol) && !a.closest('pre') && !(a.hash && a.closest('h1, h2, h3, h4, h5, h6'))).map((a) => a.href),
    headings: all('h1, h2, h3, h4, h5, h6').map((h) => `${h.tagName} ${bare(text(h))}`).filter((h) => h.length > 3),
    rows: tables.flatMap(rows).filter((row) => row.length > 1).map((row) => row.map((c) => bare(text(c))).join('|')),
  }
}

// truth returns the contents that belong to a page, or undefined if it has none. It changes the document.
export function truth(doc, { content, remove, optional, having }) {
  if (having && !doc.querySelector(having)) return undefined
  for (const e of select(doc, remove)) e.remove()
  const tops = outermost(select(doc, content))
  const also = outermost(select(doc, [optional, '[hidden], [style*="display:none"], [style*="display: none"], .visually-hidden, .sr-only'].filter(Boolean).join(', ')))
  const spare = bag(words(also.map(text).join(' ')).concat(words(doc.title)))
  for (const e of also) e.remove()
  const list = words(tops.map(text).join(' '))
  const found = list.length < 10 ? undefined : { words: bag(list), count: list.length, spare, ...parts(tops) }
  doc.defaultView.close() // jsdom keeps open windows in memory
  return found
}

const markdownIt = new MarkdownIt({ html: true })
const part = (wanted, got) => wanted.length ? shared(bag(wanted), bag(got)) / wanted.length : undefined

// measure returns the shares of a page's contents that the Markdown has, and the share of the Markdown's words that belong to the
// page.
export function measure(markdown, url, belongs) {
  const doc = parse(markdownIt.render(markdown), url)
  const list = words(text(doc.body))
  const has = bag(list)
  const got = parts([doc.body])
  const hits = shared(belongs.words, has)
  let counted = list.length // without optional words
  const extra = []
  for (const [word, count] of has) {
    const over = Math.max(0, count - (belongs.words.get(word) ?? 0))
    counted -= Math.min(over, belongs.spare.get(word) ?? 0)
    if (over > (belongs.spare.get(word) ?? 0)) extra.push(word)
  }
  const code = got.code.join(' ')
  doc.defaultView.close()
  return {
    recall: hits / belongs.count, precision: counted ? Math.min(1, hits / counted) : 1,
    code: belongs.code.length ? belongs.code.filter((block) => code.includes(block)).length / belongs.code.length : undefined,
    links: part(belongs.links, got.links), headings: part(belongs.headings, got.headings), tables: part(belongs.rows, got.rows),
    missing: [...belongs.words].filter(([w, n]) => n > (has.get(w) ?? 0)).map(([w]) => w).slice(0, 25).join(' '), added: extra.slice(0, 25).join(' '),
  }
}

// The web UI in a real browser: every view in both themes and at the width of a phone, without anything that axe-core finds, without requests to other hosts, and with no script but the UI's own.
import assert from 'node:assert/strict'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import { folder, put } from './files.mjs'
import { ending, Web } from './http.mjs'
import { until } from './live.mjs'

const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find((path) => existsSync(path))
const flags = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync']
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const names = ['getElementById', 'body', 'forms', 'cookie', 'scrollingElement', 'querySelector', 'addEventListener']
const clobbering = '<img src="dot.svg" name="getElementById"> <img src="dot.svg" id="cookie" name="cookie"> <img src="dot.svg" name="querySelector">\n\n' +
  names.map((name) => `<form name="${name}"><input name="${name}"></form><embed name="${name}"><object id="${name}"></object><a name="${name}"></a>`).join('\n') +
  '\n\n<h2 id="q">a</h2><p id="hits">b</p><div id="side">c</div><a id="theme"></a><span id="Main"></span>\n'

const files = {
  'mcp-docs-server.json': '{"name": "Acme", "package": "acme", "version": "1.0.0", "docs": "docs"}',
  'docs/index.md': '---\ntitle: Start\ndescription: a very long line that a phone and most other windows cannot show without scrolling sideways, wherever it is in the text of a document\n---\n# Start\n\n[Setup](guide/setup.md)\n\n<script>document.title = "run"</script>\n\n<img src=x onerror="document.title=\'run\'">\n\n```go\nfunc main() { println("a very long line that a phone cannot show without scrolling sideways") }\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n- [x] done\n',
  'docs/guide/setup.md': '# Set up\n\nTurn the handle.\n',
  'docs/guide/long.md': '# Long\n\n' + Array.from({ length: 40 }, (_, i) => `## Part ${i}\n\n${'Words. '.repeat(60)}\n\n`).join('') + '```sh\nfirst\n  second\n```\n',
  // Headings and elements are called as names of the DOM and as elements of the page are.
  'docs/guide/blocks.md': '# location\n\n## Main\n\n## cookie\n\n## fetch\n\n!!! warning "Hot"\n    ```sh\n    a --very-long-option-of-a-command --very-long-option-of-a-command --very-long-option-of-a-command\n    ```\n\n=== "npm"\n    one\n\n=== "yarn"\n    two\n\n:::tip\nx\n:::\n\n> [!CAUTION]\n> y\n\n> [!IMPORTANT]\n> z\n\n' + clobbering,
  'docs/guide/dot.svg': '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>',
  ...Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`docs/more/page-${i + 10}.md`, `# Page ${i + 10}\n`])),
  'prompts/review.md': '---\ntitle: Review\nargs:\n  what:\n    description: What to look at\n---\n# Review\n\nReview {{what}}, <rules>.\n\n[data](x://h/data.json)\n\n[more](x://h/more.md)\n',
  'docs/guide/formulas.md': '# Formulas\n\nThe root of $x_1 + \\sqrt{2}$, in a row:\n\n$$\n\\begin{pmatrix} a & b \\\\ c & \\frac{1}{d} \\end{pmatrix} \\tag{1} \\label{q}\n$$\n\nAn error: $\\frac{1}$. A link: $\\href{https://x.example/}{y}$. A bomb: $\\def\\a{\\a\\a}\\a$.\n\n```mermaid\ngraph TD; A-->B\n```\n',
  'docs/guide/arabic.md': '# \u0645\u0631\u062d\u0628\u0627\n\n\u0647\u0630\u0627 \u0646\u0635.\n\nThis is English.\n\n| `--an-option-of-a-command-with-a-long-name` | \u0646\u0635 |\n|---|--:|\n| 1 | 2 |\n\n![x](none/there.png)\n',
  'skills/turning/SKILL.md': '---\nname: turning\ndescription: Turns a handle\n---\n# Turn\n',
  'resources/x/h/table.csv': 'name,city\n"A, b",\n' + 'c,d\n'.repeat(600),
  'resources/x/h/latin.txt': Buffer.from('caf\xe9\n', 'latin1'),
  'resources/x/h/program.bin': Buffer.from([0, 1, 2]),
  'resources/x/h/more.md': '# More\n\n| a | b |\n|---|---|\n| 1 | 2 |\n',
  'resources/templates.json': '[{"uriTemplate": "x://h/{+path}", "name": "All"}]',
  'resources/x/h/data.json': '{"a": {"b": [1, {"c": "<b>"}]}}',
  'resources/x/h/page.html': '<script>document.title = "run"</script>',
  'resources/x/h/drawing.svg': '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"><script>document.title = "run"</script></svg>',
  'resources/x/h/<img src=x onerror=alert(1)>.txt': 'hostile',
  'resources/x/h/folder/deep.txt': 'deep',
  // It opens a dialog where it is shown. The readers of browsers do without a table of objects.
  'resources/x/h/paper.pdf': '%PDF-1.7\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R /OpenAction << /S /JavaScript /JS (app.alert\\("run"\\)) >> >>\nendobj\n2 0 obj\n<< /Type /Pages /Kids [3 0 R] /Count 1 >>\nendobj\n3 0 obj\n<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 100] >>\nendobj\ntrailer\n<< /Root 1 0 R >>\n%%EOF\n',
}
const views = ['/', '/docs/', '/docs/guide/', '/docs/index', '/docs/guide/long', '/docs/guide/blocks', '/docs/guide/formulas', '/docs/guide/arabic', '/docs/guide/setup?view=agent', '/r/', '/r/x/h/', '/r/x/h/data.json', '/r/x/h/table.csv', '/r/x/h/latin.txt', '/r/x/h/program.bin', '/r/x/h/more.md', '/r/x/h/page.html', '/r/x/h/drawing.svg', '/prompts', '/prompts/review', '/tools', '/tools/searchAcme', '/templates', '/connect', '/search', '/search?q=handle', '/search?q=nothing', '/none', '/docs/setpu', '/tools/none']

describe('the web UI', { skip: executablePath ? false : 'needs Chromium' }, () => {
  const later = ending()
  const dir = folder(later, files)
  let browser, base
  before(async () => {
    base = (await Web.start(later, [dir])).url.origin
    browser = await chromium.launch({ executablePath, args: flags })
    later(() => browser.close())
  })
  // open opens a page. The test fails if the page makes a request to another host or violates the policy.
  const open = async (t, options = {}) => {
    const context = await browser.newContext(options)
    const page = await context.newPage()
    const wrong = []
    page.on('pageerror', (error) => wrong.push(String(error)))
    page.on('console', (message) => { if (message.type() === 'error' && !message.text().includes('404') && !message.text().includes('401')) wrong.push(message.text()) })
    page.on('request', (request) => { if (!request.url().startsWith(base) && !request.url().startsWith('chrome')) wrong.push(request.url()) }) // but those of its reader of PDF files
    t.after(async () => {
      await context.close()
      assert.deepEqual(wrong, [])
    })
    return page
  }

  // axeFinds fails the test for each violation that axe-core finds, with all parts of the page open.
  const axeFinds = async (page, view, options = {}) => {
    await page.evaluate("for (const d of document.querySelectorAll('main details')) d.open = true")
    const { violations } = await page.evaluate((options) => globalThis.axe.run(document, options), options)
    assert.deepEqual(violations.map((v) => [view, v.id, v.nodes[0].html]), [])
  }

  // A PDF can have scripts, whose dialogs look like dialogs of the page.
  test('a PDF is loaded on request', async (t) => {
    const page = await open(t)
    const loaded = []
    const dialogs = []
    page.on('request', (request) => { if (request.url().includes('/raw/')) loaded.push(request.url()) })
    page.on('dialog', (dialog) => { dialogs.push(dialog.message()); dialog.dismiss() })
    await page.goto(`${base}/r/x/h/paper.pdf`)
    await page.mouse.wheel(0, 1000)
    await page.waitForTimeout(500)
    assert.deepEqual([loaded, dialogs], [[], []])
    await page.locator('summary', { hasText: 'Show the PDF' }).click()
    await until(() => loaded.length > 0)
    assert.equal(loaded[0], `${base}/raw/x/h/paper.pdf`)
    await page.waitForFunction(() => document.title === 'paper.pdf · Acme') // it is empty for a moment while the viewer starts
  })

  // Each theme has its own colours, and each width its own layout. Other combinations add nothing. The search field is at one place on all
  // pages.
  for (const [name, options, rules] of [
    ['light', { colorScheme: 'light' }, {}],
    ['dark', { colorScheme: 'dark' }, { runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] } }],
    ['phone', { viewport: { width: 390, height: 800 } }, { rules: { 'color-contrast': { enabled: false } } }],
  ]) {
    test(`every view, ${name}`, async (t) => {
      const page = await open(t, options)
      await page.addInitScript(axe) // the policy does not apply to it
      const places = new Set()
      for (const view of views) {
        await page.goto(base + view)
        const { x, y, width } = await page.locator('#q').boundingBox()
        places.add([x, y, width].join())
        assert.notEqual(await page.title(), 'run', view)
        assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), `${view} is wider than the window`)
        await axeFinds(page, view, rules)
      }
      for (const form of ['/tools/searchAcme', '/prompts/review']) { // with the answer
        await page.goto(base + form)
        await page.fill(form.startsWith('/tools') ? '[name="arg.query"]' : '[name="arg.what"]', 'handle')
        await page.click('.ask .primary')
        await page.waitForSelector('.answer')
        assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), `the answer of ${form} is wider than the window`)
        await axeFinds(page, form, rules)
      }
      assert.equal(places.size, 1, [...places].join(' or '))
    })
  }

  test('without JavaScript', async (t) => {
    const page = await open(t, { javaScriptEnabled: false })
    await page.goto(base + '/')
    await page.click('main >> text=index.md')
    assert.equal(await page.textContent('h1'), 'Start')
    await page.fill('#q', 'handle')
    await page.press('#q', 'Enter')
    assert.equal(await page.textContent('main .found mark'), 'handle')
    await page.click('main .found a')
    assert.match(await page.textContent('.prose'), /Turn the handle/)
    await page.goto(base + '/tools/searchAcme')
    await page.fill('[name="arg.query"]', 'handle')
    await page.click('text=More arguments')
    await page.fill('[name="arg.limit"]', '1')
    await page.click('text=Call the tool')
    assert.match(await page.textContent('.answer'), /guide\/setup\.md/)
    assert.equal(await page.inputValue('[name="arg.limit"]'), '1')
    assert.ok(await page.isVisible('[name="arg.limit"]'), 'filled arguments are folded')
  })

  // With and without JavaScript.
  for (const javaScriptEnabled of [true, false]) {
    test(`the current document is in view, and tools of the project do not scroll away, JavaScript ${javaScriptEnabled}`, async (t) => {
      const page = await open(t, { javaScriptEnabled, viewport: { width: 1440, height: 700 } })
      await page.goto(base + '/docs/more/page-60')
      const box = await page.locator('#side [aria-current]').boundingBox()
      assert.ok(box.y > 50 && box.y + box.height < 650, JSON.stringify(box))
      assert.equal(await page.locator('#side a[href="/docs/guide/setup"]').count(), 0) // only the open branch is there
      for (const tool of ['connect', 'templates']) assert.ok(await page.locator(`#side a[href="/${tool}"]`).evaluate((a) => a.getBoundingClientRect().bottom <= innerHeight))
      assert.match(await page.textContent('.steps [rel=prev]'), /Page 59/)
      await page.click('.steps [rel=next]')
      assert.equal(await page.textContent('h1'), 'Page 61')
    })
  }

  test('the contents of a long document stay in view, and code is copied', async (t) => {
    const page = await open(t, { viewport: { width: 1440, height: 700 }, permissions: ['clipboard-read', 'clipboard-write'] })
    await page.goto(base + '/docs/guide/long')
    await page.click('.toc a >> text=Part 20')
    assert.equal(new URL(page.url()).hash, '#part-20')
    await page.waitForSelector('.toc [aria-current] >> text=Part 20')
    await page.keyboard.press('Control+k')
    assert.equal(await page.evaluate('document.activeElement.id'), 'q')
    const box = await page.locator('.toc').boundingBox()
    assert.ok(box.x > 1000 && box.y > 50 && box.y < 200, JSON.stringify(box))
    assert.ok(await page.evaluate('scrollY > 2000'))
    const connect = await page.locator('#side a[href="/connect"]').boundingBox()
    assert.ok(connect.y > 50 && connect.y < 700, JSON.stringify(connect)) // it has not scrolled away
    const [code, copy] = [await page.locator('.prose pre').boundingBox(), await page.locator('.prose .do-copy').boundingBox()]
    assert.ok(code.x + code.width <= copy.x, 'the button covers code')
    await page.click('.prose .do-copy')
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), 'first\n  second\n')
    await page.hover('h2#part-20')
    await page.click('h2#part-20 .anchor')
    assert.equal(await page.locator('h1').count(), 1)
    await page.click('text=As agents see it')
    assert.match(await page.textContent('main pre'), /^---\npath: guide\/long.md\n[^]*\n---\n\n# Long\n/)
  })

  test('blocks of generators, and ids of documents', async (t) => {
    const page = await open(t)
    await page.goto(base + '/docs/guide/blocks')
    assert.equal(await page.textContent('.notice.warning > .label'), 'Hot')
    assert.ok(!(await page.isVisible('text=two')))
    await page.click('summary >> text=yarn')
    assert.ok(await page.isVisible('text=two') && !(await page.isVisible('text=one')))
    // Ids are unique, and no name of the DOM leads to an element of the document.
    assert.deepEqual(await page.evaluate(() => [...document.querySelectorAll('[id]')].filter((e) => document.getElementById(e.id) !== e).map((e) => e.id)), [])
    assert.equal(await page.locator('.prose [id^="s-"]').count(), 5) // the page itself has elements with these ids
    assert.equal(await page.locator('.prose img').count(), 3)
    assert.deepEqual(await page.evaluate((names) => names.filter((name) => document[name] instanceof Element && document[name].name), names), [])
    await page.keyboard.press('/')
    assert.equal(await page.evaluate('document.activeElement.name'), 'q')
  })

  test('a wide table scrolls, and its words stay whole', async (t) => {
    const page = await open(t, { viewport: { width: 390, height: 800 } })
    put(dir, { 'docs/guide/wide.md': `# Wide\n\n| option | meaning | default |\n|---|---|---|\n| \`--an-option-with-a-long-name\` | ${'internationalization '.repeat(9)}| incomprehensibilities |\n` })
    t.after(() => rmSync(join(dir, 'docs/guide/wide.md')))
    await until(async () => (await page.goto(`${base}/docs/guide/wide`)).status() === 200)
    const { scrolls, broken } = await page.evaluate(() => {
      const table = document.querySelector('.prose table')
      const broken = []
      const texts = document.createTreeWalker(table, NodeFilter.SHOW_TEXT)
      while (texts.nextNode()) {
        for (const { 0: word, index } of texts.currentNode.data.matchAll(/\S+/g)) {
          const range = document.createRange()
          if (texts.currentNode.parentElement.matches('code')) continue // it wraps anywhere
          range.setStart(texts.currentNode, index)
          range.setEnd(texts.currentNode, index + word.length)
          if (range.getClientRects().length > 1) broken.push(word)
        }
      }
      return { scrolls: table.scrollWidth > table.clientWidth, broken }
    })
    assert.deepEqual([scrolls, broken], [true, []])
    assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'))
  })

  test('formulas', async (t) => {
    const page = await open(t)
    await page.goto(`${base}/docs/guide/setup`)
    assert.equal(await page.evaluate('typeof temml'), 'undefined') // pages without formulas do not load it
    await page.goto(`${base}/docs/guide/formulas`)
    await page.waitForSelector('math[display=block]')
    assert.deepEqual(await page.locator('.prose math annotation').allTextContents(), ['x_1 + \\sqrt{2}', '\\begin{pmatrix} a & b \\\\ c & \\frac{1}{d} \\end{pmatrix} \\tag{1} \\label{q}\n'])
    assert.deepEqual(await page.locator('.prose code.math').allTextContents(), ['\\frac{1}', '\\href{https://x.example/}{y}', '\\def\\a{\\a\\a}\\a'])
    assert.equal(await page.textContent('.prose .label'), 'diagram (Mermaid)')
    assert.equal(await page.locator('.prose [id=q], .prose math a, .prose math [href]').count(), 0)
    const [above, below] = await Promise.all(['first', 'last'].map((which) => page.locator(`.prose mfrac > :${which}-child`).boundingBox()))
    assert.ok(above.y + above.height <= below.y + 1, JSON.stringify([above, below])) // whatever the font
    const packaged = readFileSync(createRequire(import.meta.url).resolve('temml/package.json').replace('package.json', 'dist/temml.min.js'))
    assert.ok(packaged.equals(readFileSync(new URL('../internal/webui/assets/temml.min.js', import.meta.url))), 'copy dist/temml.min.js of the package temml to internal/webui/assets')
  })

  test('each paragraph has the direction of its script, and code in cells wraps on a phone', async (t) => {
    const page = await open(t, { viewport: { width: 390, height: 800 } })
    await page.goto(`${base}/docs/guide/arabic`)
    const { arabic, english, code } = await page.evaluate(() => {
      const range = document.createRange()
      const at = (element) => { range.selectNodeContents(element); return range.getBoundingClientRect() }
      const [first, second] = document.querySelectorAll('.prose > p')
      const main = document.querySelector('.prose').getBoundingClientRect()
      return { arabic: Math.round(main.right - at(first).right), english: Math.round(at(second).left - main.left), code: document.querySelector('.prose table code').getClientRects().length }
    })
    assert.deepEqual([arabic, english], [0, 0])
    assert.ok(code > 1, 'the code does not wrap')
    assert.match(await page.textContent('.prose'), /x \(missing: none\/there\.png\)/)
  })

  test('files of other kinds, and the keyboard alone', async (t) => {
    const page = await open(t)
    await page.goto(`${base}/r/x/h/data.json`)
    await page.focus('.data summary')
    await page.keyboard.press('Enter')
    assert.equal(await page.isVisible('.data details details'), false)
    await page.goto(`${base}/r/x/h/table.csv`)
    assert.equal(await page.locator('.data tr').count(), 500)
    await page.goto(`${base}/r/x/h/latin.txt`)
    assert.match(await page.textContent('main'), /shown as Latin-1[^]*caf\u00e9/)
    await page.goto(`${base}/r/x/h/program.bin`)
    assert.match(await page.textContent('main'), /SHA-256 ae4b3280e56e2faf83f414a6e3dabe9d5fbe18976544c05fed121accb85b53fc/)
    await page.focus('text=Download')
    const download = page.waitForEvent('download')
    await page.keyboard.press('Enter')
    assert.equal((await download).suggestedFilename(), 'program.bin')
    await page.goto(`${base}/search?q=turning`)
    assert.ok((await page.locator('.found .kind').allTextContents()).includes('Skill'))
  })

  test('the first page of this repository is small', async (t) => {
    const web = await Web.start((end) => t.after(end), [fileURLToPath(new URL('..', import.meta.url))])
    let text
    await until(async () => {
      text = await (await fetch(web.url.origin, { headers: { accept: 'text/html' } })).text()
      return !text.includes('is still being read')
    })
    assert.ok(Buffer.byteLength(text) < 40_000, `${Buffer.byteLength(text)} bytes`)
  })

  test('search while typing', async (t) => {
    const page = await open(t)
    await page.goto(base + '/')
    await page.focus('#theme')
    await page.keyboard.press('/')
    await page.keyboard.type('handle')
    await page.waitForSelector('#hits a')
    await page.keyboard.press('Escape')
    assert.deepEqual([await page.isVisible('#hits'), await page.evaluate('document.activeElement.id')], [false, 'theme'])
    await page.keyboard.press('Control+k')
    await page.keyboard.type('handle')
    await page.waitForSelector('#hits a')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/docs/guide/setup')
  })

  test('a folder opens in place', async (t) => {
    const page = await open(t)
    await page.goto(base + '/r/x/h/')
    await page.focus('#side a[href="/r/x/h/folder/"]')
    await page.keyboard.press('ArrowRight')
    await page.waitForSelector('#side a[href="/r/x/h/folder/deep.txt"]')
  })

  test('a tool and a prompt', async (t) => {
    const page = await open(t)
    await page.goto(base + '/tools/searchAcme')
    await page.click('.further summary')
    await page.fill('[name="arg.paths"]', 'guide/setup.md')
    await page.click('text=Call the tool')
    assert.match(await page.textContent('.answer'), /Turn the handle/)
    await page.goto(base + '/prompts/review')
    await page.fill('[name="arg.what"]', '<b>this</b>')
    await page.click('text=Get the messages')
    assert.match(await page.textContent('.answer'), /Review <b>this<\/b>, <rules>\./)
    assert.equal(await page.getAttribute('.answer .embedded a', 'href'), '/r/x/h/data.json')
    assert.match(await page.locator('.answer .embedded pre').nth(1).textContent(), /^# More/)
    assert.match(await page.textContent('.answer .quiet'), /^As a model gets it: about [0-9]+ tokens, [0-9]+ ms\.$/)
  })

  test('a page is read again when the viewer comes back to it', async (t) => {
    const page = await open(t)
    const back = () => page.evaluate(() => { dispatchEvent(new Event('focus')) })
    await page.goto(base + '/docs/guide/setup')
    put(dir, { 'docs/guide/setup.md': '# Set up\n\nPush the button.\n' })
    t.after(() => put(dir, { 'docs/guide/setup.md': files['docs/guide/setup.md'] }))
    await until(async () => {
      await back()
      await page.waitForTimeout(200)
      return page.isVisible('text=Push the button')
    })
    await page.goto(base + '/tools/searchAcme') // an answer stays
    await page.fill('[name="arg.query"]', 'handle')
    await page.click('.ask .primary')
    await page.waitForSelector('.answer')
    await back()
    await page.waitForTimeout(500)
    assert.ok(await page.isVisible('.answer'))
  })

  test('a token gives access, and scripts cannot read it', async (t) => {
    const token = 'correct-horse-battery-staple'
    const web = await Web.start((end) => t.after(end), [dir], { env: { MCP_DOCS_TOKEN: token } })
    const context = await browser.newContext()
    t.after(() => context.close())
    const page = await context.newPage()
    await page.addInitScript(axe)
    await page.goto(web.url.origin + '/docs/index')
    await page.fill('#token', 'another-token-of-nobody')
    await page.click('text=Log in')
    await page.waitForSelector('.error')
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme })
      await axeFinds(page, '/login')
    }
    await page.fill('#token', token)
    await page.click('text=Log in')
    await page.waitForSelector('.prose')
    assert.equal(new URL(page.url()).pathname, '/docs/index')
    assert.equal(await page.evaluate('document.cookie'), '')
    const [cookie] = await context.cookies()
    assert.equal(cookie.httpOnly, true)
    assert.equal(cookie.sameSite, 'Strict')
    await page.goto(web.url.origin + '/connect')
    assert.match(await page.textContent('#snippet-claude-code'), /"Authorization": "Bearer \$\{DOCS_TOKEN\}"/)
    await axeFinds(page, '/connect')
    await page.click('text=Log out')
    await page.waitForSelector('#token')
  })
})

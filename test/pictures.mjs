// Makes the pictures of the web UI in the README and in docs/serve/page.md: node pictures.mjs. It needs Chromium.
import { existsSync, statSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { crc32, deflateSync } from 'node:zlib'
import { chromium } from 'playwright-core'
import { Web } from './http.mjs'

const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find((path) => existsSync(path))
const wide = { viewport: { width: 1216, height: 720 } }
const phone = { viewport: { width: 390, height: 720 }, isMobile: true, hasTouch: true }

// Each picture: its name, the size of the window, the first page, and what to do there.
const pictures = [
  ['page', wide, '/docs/write/resources', search],
  ['page-dark', { ...wide, colorScheme: 'dark' }, '/docs/write/resources', search],
  ['page-tool', wide, '/tools/searchMcpDocsServer', call],
  ['page-phone', phone, '/docs/write/prompts'],
  ['page-phone-dark', { ...phone, colorScheme: 'dark' }, '/search?q=remove+a+token'],
]

async function search(page) {
  await page.fill('#q', 'remove a token')
  await page.waitForSelector('#hits mark')
}

async function call(page) {
  await page.fill('[name="arg.query"]', 'remove a token')
  await page.click('.ask .primary')
  await page.waitForSelector('.answer')
}

const ends = []
const web = await Web.start((end) => ends.push(end), [fileURLToPath(new URL('..', import.meta.url))], { http: '127.0.0.1:3060' })
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu', '--font-render-hinting=none'] })
ends.push(() => browser.close())
for (const [name, options, path, act] of pictures) {
  const page = await browser.newPage(options)
  await page.goto(web.url.origin + path)
  await act?.(page)
  await page.waitForTimeout(300)
  const file = fileURLToPath(new URL(`../docs/serve/${name}.png`, import.meta.url))
  writeFileSync(file, await reduced(await page.screenshot()))
  console.log(file, statSync(file).size)
  await page.close()
}
for (const end of ends) await end()

// reduced returns a PNG with 256 colours, which has a third of the size.
async function reduced(png) {
  const page = await browser.newPage()
  const { width, height, colors } = await page.evaluate(async (url) => {
    const bitmap = await createImageBitmap(await (await fetch(url)).blob())
    const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d')
    context.drawImage(bitmap, 0, 0)
    const { width, height, data } = context.getImageData(0, 0, bitmap.width, bitmap.height)
    return { width, height, colors: Array.from({ length: width * height }, (_, i) => (data[4 * i] << 16) | (data[4 * i + 1] << 8) | data[4 * i + 2]) }
  }, `data:image/png;base64,${png.toString('base64')}`)
  await page.close()
  const counts = new Map()
  for (const color of colors) counts.set(color, (counts.get(color) ?? 0) + 1)
  const frequent = [...counts.keys()].sort((a, b) => counts.get(b) - counts.get(a))
  const ofHues = new Map(frequent.toReversed().map((color) => [color & 0xe0e0e0, color])) // so that a small spot keeps its hue
  const palette = [...new Set([...ofHues.values(), ...frequent])].slice(0, 256)
  const distance = (a, b) => [16, 8, 0].reduce((sum, shift) => sum + (((a >> shift) & 255) - ((b >> shift) & 255)) ** 2, 0)
  const nearest = new Map()
  for (const color of counts.keys()) nearest.set(color, palette.reduce((best, other, i) => (distance(color, other) < distance(color, palette[best]) ? i : best), 0))
  const rows = Buffer.alloc((width + 1) * height) // each row begins with its filter: none
  colors.forEach((color, i) => { rows[i + Math.floor(i / width) + 1] = nearest.get(color) })
  const head = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 3, 0, 0, 0])
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  const table = Buffer.from(palette.flatMap((color) => [color >> 16, (color >> 8) & 255, color & 255]))
  return Buffer.concat([png.subarray(0, 8), chunk('IHDR', head), chunk('PLTE', table), chunk('IDAT', deflateSync(rows, { level: 9 })), chunk('IEND', Buffer.alloc(0))])
}

function chunk(kind, body) {
  const out = Buffer.alloc(body.length + 12)
  out.writeUInt32BE(body.length, 0)
  out.write(kind, 4, 'latin1')
  body.copy(out, 8)
  out.writeUInt32BE(crc32(out.subarray(4, body.length + 8)), body.length + 8)
  return out
}

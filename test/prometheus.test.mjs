// The files for Prometheus in packaging: the rules, and a scrape of a server with its key.
import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { folder, put } from './files.mjs'
import { freePort, Web } from './http.mjs'
import { until } from './live.mjs'

const skip = ['promtool', 'prometheus'].some((name) => spawnSync(name, ['--version']).status !== 0) && 'prometheus is not installed'
const packaged = (name) => readFileSync(new URL(`../packaging/${name}`, import.meta.url), 'utf8')

// configured returns a folder with the two files, a key, and the addresses of servers.
function configured(t, targets) {
  const dir = folder((end) => t.after(end))
  const config = packaged('prometheus.yaml')
  assert.match(config, /credentials_file: \/etc\/prometheus\/mcp-docs-metrics-key\n[^]*targets: .*:3060/)
  put(dir, {
    key: 'the-key-of-the-metrics\n', 'prometheus-rules.yaml': packaged('prometheus-rules.yaml'),
    'prometheus.yaml': config.replace('scrape_interval: 15s', 'scrape_interval: 1s')
      .replace('/etc/prometheus/mcp-docs-metrics-key', join(dir, 'key')).replace(/targets: .*/, `targets: ${JSON.stringify(targets)}`),
  })
  return dir
}

const promtool = (dir, ...args) => execFileSync('promtool', args, { cwd: dir, encoding: 'utf8' })

test('the four alerts fire after their time, and no other', { skip, timeout: 100_000 }, (t) => {
  const dir = configured(t, ['a:3060', 'b:3060'])
  promtool(dir, 'check', 'rules', 'prometheus-rules.yaml')
  promtool(dir, 'check', 'config', 'prometheus.yaml')
  const series = (name, labels, values) => ({ series: `mcp_docs_${name}{${Object.entries(labels).map(([key, value]) => `${key}="${value}"`)}}`, values })
  const cases = [
    ['McpDocsStoreUnreachable', [series('store_reachable', { instance: 'a:3060' }, '0x20'), series('store_writable', { instance: 'a:3060' }, '0x20')], { instance: 'a:3060' }],
    ['McpDocsStoreNotWritable', [series('store_reachable', { instance: 'a:3060' }, '1x20'), series('store_writable', { instance: 'a:3060' }, '0x20')], { instance: 'a:3060' }],
    ['McpDocsVersionsDiffer', [series('served_version', { instance: 'a:3060', project: 'p' }, '7x20'), series('served_version', { instance: 'b:3060', project: 'p' }, '8x20')], { project: 'p' }],
    ['McpDocsErrors', [series('http_responses_total', { instance: 'a:3060', class: '2xx' }, '0+98x20'), series('http_responses_total', { instance: 'a:3060', class: '5xx' }, '0+2x20')], { instance: 'a:3060' }],
    [undefined, [series('store_reachable', { instance: 'a:3060' }, '1x20'), series('store_writable', { instance: 'a:3060' }, '1x20'), series('served_version', { instance: 'a:3060', project: 'p' }, '7x20'),
      series('http_responses_total', { instance: 'a:3060', class: '2xx' }, '0+1000x20'), series('http_responses_total', { instance: 'a:3060', class: '5xx' }, '0+1x20')], {}],
  ]
  const names = cases.flatMap(([name]) => name ?? [])
  assert.deepEqual([...packaged('prometheus-rules.yaml').matchAll(/- alert: (\w+)/g)].map(([, name]) => name), names)
  const summary = (name) => new RegExp(`alert: ${name}\\n[^]*?summary: "([^"\\n]*)"`).exec(packaged('prometheus-rules.yaml'))[1]
  const shown = (name, labels) => summary(name).replace(/\{\{ \$labels\.(\w+) \}\}/g, (_, label) => labels[label])
  put(dir, { 'tests.yaml': JSON.stringify({ // YAML has JSON
    rule_files: ['prometheus-rules.yaml'], evaluation_interval: '1m',
    tests: cases.map(([fires, input_series, labels]) => ({
      interval: '1m', input_series,
      alert_rule_test: names.map((alertname) => ({ eval_time: '12m', alertname, ...(alertname === fires && { exp_alerts: [{ exp_labels: labels, exp_annotations: { summary: shown(alertname, labels) } }] }) })),
    })),
  }) })
  promtool(dir, 'test', 'rules', 'tests.yaml')
})

test('Prometheus scrapes a server with the key in a file, and no scrape is in the log', { skip, timeout: 100_000 }, async (t) => {
  const project = folder((end) => t.after(end), { 'README.md': '# Notes\n' })
  const web = await Web.start((end) => t.after(end), [project], { env: { MCP_DOCS_METRICS_KEY: 'the-key-of-the-metrics' } })
  const dir = configured(t, [web.url.host])
  const port = await freePort()
  const prometheus = spawn('prometheus', ['--config.file=prometheus.yaml', `--storage.tsdb.path=${join(dir, 'data')}`, `--web.listen-address=127.0.0.1:${port}`], { cwd: dir, stdio: 'ignore' })
  t.after(async () => {
    prometheus.kill('SIGKILL')
    await new Promise((resolve) => prometheus.on('exit', resolve))
  })
  const query = async (what) => {
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(what)}`).catch(() => undefined)
    return answer?.ok ? (await answer.json()).data.result : [] // it answers 503 while it starts
  }
  await until(async () => (await query('mcp_docs_documents')).some(({ metric, value }) => metric.instance === web.url.host && value[1] === '1'))
  assert.equal((await query('up'))[0].value[1], '1')
  assert.deepEqual(web.log.filter((line) => line.includes('/metrics')), [])
  assert.equal((await fetch(new URL('/metrics', web.url))).status, 401)
  await until(() => web.log.some((line) => /warning: .*path=\/metrics status=401/.test(line)), () => web.log.join('\n'))
})

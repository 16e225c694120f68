// nginx in front of servers.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from './live.mjs'

export const missing = spawnSync('nginx', ['-v']).status !== 0 && 'nginx is not installed'

// A Proxy is nginx on a port of 127.0.0.1. It passes requests to the servers on other ports, to one after the other.
export class Proxy {
  #dir = mkdtempSync(join(tmpdir(), 'mds-nginx-'))
  #process

  static start(after, port, servers, directives = '') {
    return Proxy.run(after, port, `
  upstream server {
    ${servers.map((server) => `server 127.0.0.1:${server} max_fails=0;`).join('\n    ')}
    keepalive 4;
  }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://server;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_request_buffering off;
      proxy_buffering on;
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      ${directives}
    }
  }`)
  }

  // run starts nginx with a configuration that listens on a port. It ends with the test or suite to which after belongs.
  static async run(after, port, configuration) {
    const proxy = new Proxy()
    after(() => proxy.#stop())
    const dir = proxy.#dir
    const temp = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${dir}/${name};`).join('\n  ')
    writeFileSync(join(dir, 'nginx.conf'), `
${process.getuid() === 0 ? 'user root;' : ''}
daemon off;
worker_processes 1;
pid ${dir}/pid;
error_log ${dir}/error.log;
events { worker_connections 1000; }
http {
  log_format passed '$request_uri $upstream_addr';
  access_log ${dir}/access.log passed;
  ${temp}
  ${configuration}
}
`)
    proxy.#process = spawn('nginx', ['-p', dir, '-c', join(dir, 'nginx.conf'), '-e', join(dir, 'error.log')], { stdio: 'inherit' })
    const log = join(dir, 'error.log')
    await until(() => fetch(`http://127.0.0.1:${port}/health`).then((answer) => answer.ok, () => false), () => (existsSync(log) ? readFileSync(log, 'utf8') : 'nginx wrote no log'))
    return proxy
  }

  // passed returns the requests that nginx has passed on: { path, server }, in order.
  passed() {
    return readFileSync(join(this.#dir, 'access.log'), 'latin1').split('\n').filter(Boolean).map((line) => {
      const [path, server] = line.split(' ')
      return { path, server }
    })
  }

  async #stop() {
    if (this.#process?.kill('SIGTERM')) await new Promise((resolve) => this.#process.on('exit', resolve))
    rmSync(this.#dir, { recursive: true, force: true })
  }
}

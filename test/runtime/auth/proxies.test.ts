import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePorts } from '../../../runtime/devnet/ports.ts'
import { userToml } from '../../handlers/auth/login/loginNode.ts'
import { withFolder } from '../folder.ts'
import { type NodeProcess, PROCESS_TEST_TIMEOUT_MS, ROOT, startNode } from '../nodeProcess.ts'
import { until } from '../../support/until.ts'

setDefaultTimeout(PROCESS_TEST_TIMEOUT_MS)

type Places = {
  readonly folder: string
  readonly port: number
  readonly http: string
  readonly ws: string
  readonly certificate: string
  readonly key: string
}

/** The configuration of runtime/README.md, at these places. */
const configuration = (language: string, { port, http, ws, certificate, key }: Places): string => {
  const readme = readFileSync(join(ROOT, 'runtime/README.md'), 'utf8')
  const block = new RegExp(`\`\`\`${language}\n([^]*?)\n\`\`\``).exec(readme)?.[1]
  if (block === undefined) throw new Error(`runtime/README.md has no configuration of ${language}`)
  return block
    .replaceAll('127.0.0.1:8545', http)
    .replaceAll('127.0.0.1:8546', ws)
    .replaceAll('/etc/ssl/node.crt', certificate)
    .replaceAll('/etc/ssl/node.key', key)
    .replace('listen 443', `listen 127.0.0.1:${port}`)
    .replace('node.example.org:443', `localhost:${port}`)
    .replaceAll('node.example.org', 'localhost')
}

type Proxy = {
  readonly name: string
  readonly program: string
  /** Writes what it needs and gives its command line. */
  readonly prepare: (places: Places) => readonly string[]
}

const PROXIES: readonly Proxy[] = [
  {
    name: 'nginx',
    program: 'nginx',
    prepare: places => {
      const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
        .map(what => `${what}_temp_path ${places.folder}/${what};`)
        .join('\n')
      const path = join(places.folder, 'nginx.conf')
      writeFileSync(
        path,
        `daemon off; master_process off; pid ${places.folder}/pid; error_log stderr;\n` +
          `events {}\nhttp {\naccess_log off;\n${temporary}\n${configuration('nginx', places)}\n}\n`,
      )
      return ['-p', places.folder, '-e', 'stderr', '-c', path]
    },
  },
  {
    name: 'Caddy',
    program: 'caddy',
    prepare: places => {
      const path = join(places.folder, 'Caddyfile')
      // Neither its interface nor the port of plain HTTP: others may run one here.
      writeFileSync(
        path,
        `{\n  admin off\n  auto_https disable_redirects\n}\n${configuration('caddy', places)}\n`,
      )
      return ['run', '--config', path, '--adapter', 'caddyfile']
    },
  },
]

const openssl = Bun.which('openssl')

/** A certificate that the client of these tests is told not to check. */
const makeCertificate = (folder: string): Pick<Places, 'certificate' | 'key'> => {
  const places = { certificate: join(folder, 'node.crt'), key: join(folder, 'node.key') }
  const { exitCode, stderr } = Bun.spawnSync([
    openssl as string,
    ...'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1'.split(' '),
    ...'-subj /CN=localhost -addext subjectAltName=DNS:localhost'.split(' '),
    '-keyout',
    places.key,
    '-out',
    places.certificate,
  ])
  if (exitCode !== 0) throw new Error(stderr.toString())
  return places
}

const TLS = { rejectUnauthorized: false }

const isUp = async (url: string): Promise<boolean> => {
  try {
    return (await fetch(`${url}/liveness`, { tls: TLS })).ok
  } catch {
    // Nobody listens yet.
    return false
  }
}

/** One request over a WebSocket and its answer. */
const askOverWs = (url: string, token: string, method: string): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const Client = WebSocket as unknown as new (url: string, options: object) => WebSocket
    const socket = new Client(url, { headers: { authorization: `Bearer ${token}` }, tls: TLS })
    socket.addEventListener('open', () =>
      socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [] })),
    )
    socket.addEventListener('error', () => reject(new Error(`no connection with ${url}`)))
    socket.addEventListener('message', ({ data }) => {
      socket.close()
      resolve(JSON.parse(String(data)))
    })
  })

const loginAt = async (url: string, password: string): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    body: JSON.stringify({ username: 'alice', password }),
    tls: TLS,
  })

const tokenAt = async (url: string): Promise<string> =>
  ((await (await loginAt(url, 'secret')).json()) as { token: string }).token

const startBehind = (folder: string): Promise<NodeProcess> => {
  const users = join(folder, 'users.toml')
  writeFileSync(users, userToml('alice', 'secret', ['eth:*']))
  return startNode(join(folder, 'data'), [
    '--rpc-ws-enabled',
    '--rpc-ws-port=0',
    '--host-allowlist=localhost,127.0.0.1',
    '--rpc-trusted-proxies=127.0.0.1',
    ...['http', 'ws'].flatMap(port => [
      `--rpc-${port}-authentication-enabled`,
      `--rpc-${port}-authentication-credentials-file=${users}`,
    ]),
  ])
}

/** Every program here is on this machine, so what tells clients from proxies is the address that each connects from. */
const CLIENT = '127.0.0.2'

const curl = Bun.which('curl')

/** A wrong login from the address of a client, who claims another one of itself. */
const loginFromClient = (url: string): string => {
  const { stdout } = Bun.spawnSync([
    curl as string,
    ...`--silent --insecure --ipv4 --interface ${CLIENT}`.split(' '),
    '--header',
    'X-Forwarded-For: 6.6.6.6',
    '--write-out',
    ' %{http_code}',
    '--data',
    '{"username":"alice","password":"wrong"}',
    url,
  ])
  return stdout.toString()
}

describe.each(PROXIES.map(proxy => [proxy.name, proxy] as const))('given %s with TLS', (name, proxy) => {
  const program = Bun.which(proxy.program)
  if (program === null || openssl === null || curl === null)
    console.warn(`${name}, openssl or curl is not installed: its configuration is not tested`)

  // Addresses of the loopback network other than the first are there on Linux alone.
  test.skipIf(program === null || openssl === null || curl === null || process.platform !== 'linux')(
    'when logins, requests and WebSocket go through it, then the log has the client’s address',
    () =>
      withFolder(async folder => {
        const node = await startBehind(folder)
        const port = (await freePorts(1))[0] as number
        const proxyFolder = join(folder, 'proxy')
        mkdirSync(proxyFolder)
        const args = proxy.prepare({
          folder: proxyFolder,
          port,
          http: new URL(node.url).host,
          ws: new URL(node.wsUrl as string).host,
          ...makeCertificate(folder),
        })
        const child = Bun.spawn([program as string, ...args], {
          env: {
            ...process.env,
            HOME: proxyFolder,
            XDG_DATA_HOME: proxyFolder,
            XDG_CONFIG_HOME: proxyFolder,
          },
          stdout: 'ignore',
          stderr: 'pipe',
        })
        try {
          const url = `https://localhost:${port}`
          await until(async () => {
            if (child.exitCode !== null) throw new Error(await new Response(child.stderr).text())
            return isUp(url)
          })
          const headers = { authorization: `Bearer ${await tokenAt(`${url}/login`)}` }
          const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] })
          const answer = await fetch(url, { method: 'POST', body, headers, tls: TLS })
          expect(await answer.json()).toMatchObject({ result: '0x539' })
          expect((await fetch(url, { method: 'POST', body, tls: TLS })).status).toBe(401)

          const wsToken = await tokenAt(`${url}/ws/login`)
          const ws = `wss://localhost:${port}/ws`
          expect(await askOverWs(ws, wsToken, 'eth_chainId')).toMatchObject({ result: '0x539' })
          expect(await askOverWs(ws, wsToken, 'net_version')).toMatchObject({ error: { code: -40100 } })

          expect(loginFromClient(`${url}/login`)).toEndWith('incorrect. 401')
          expect(loginFromClient(`${url}/ws/login`)).toEndWith('incorrect. 401')
        } finally {
          child.kill()
          await child.exited
          await node.stop()
        }
        expect(node.output().split(`Denied login to alice from ${CLIENT}"`).length).toBe(3)
        expect(node.output()).not.toContain('6.6.6.6')
      }),
  )
})

import { describe, expect, test } from 'bun:test'
import { createExplorer } from '../../../handlers/explorer/explorer.ts'
import { isBundleCurrent } from '../../../runtime/packaging/explorer.ts'
import { send } from '../http/endpoint.ts'

/** The page, its script and its style sheet together, compressed. */
const BYTES_MAX = 200_000

const WEBSOCKET_PORT = 8546
const pages = createExplorer({ webSocketPort: WEBSOCKET_PORT })
const get = (path: string, headers: Record<string, string> = {}) => send(path, { headers }, { pages })

const assetsIn = (html: string): readonly string[] =>
  [...html.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, path]) => path as string)

describe('given the explorer', () => {
  test('when its sources are built, then they give what is served', async () => {
    expect(await isBundleCurrent()).toBe(true)
  })

  test('when a page is opened, then it loads from this node alone, in fewer than 200 KB', async () => {
    const html = await (await get('/explorer')).text()
    const assets = assetsIn(html)
    expect(assets.map(path => path.replace(/-[0-9a-f]{16}/, ''))).toEqual([
      '/explorer/app.css',
      '/explorer/app.js',
    ])
    expect(html).not.toMatch(/(?:src|href)="?(?:https?:)?\/\//)
    let bytes = 0
    for (const path of ['/explorer', ...assets]) {
      const response = await get(path, { 'accept-encoding': 'gzip' })
      expect(response.headers.get('content-encoding')).toBe('gzip')
      bytes += (await response.arrayBuffer()).byteLength
    }
    expect(bytes).toBeLessThan(BYTES_MAX)
  })

  test.each(['/explorer', '/explorer/validators', '/block/5', '/tx/0x12', '/address/0xab', '/token/0xcd'])(
    'when %s is requested, then it is the page, which runs no other script and parses no HTML',
    async path => {
      const response = await get(path)
      expect(response.status).toBe(200)
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
      const policy = response.headers.get('content-security-policy')
      expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self';")
      expect(policy).toContain(`connect-src 'self' ws://localhost:${WEBSOCKET_PORT} wss://`)
      expect(policy).toContain("require-trusted-types-for 'script'; trusted-types 'none'")
      expect(policy).not.toContain('unsafe')
    },
  )

  test('when a host name could extend the policy, then it is left out of it', async () => {
    const request = new Request('http://localhost/explorer', { headers: { host: 'a; script-src *' } })
    const response = await pages(request)
    expect(response?.headers.get('content-security-policy')).toContain("connect-src 'self';")
  })

  test('when it is requested again, then unchanged parts are not sent', async () => {
    const first = await get('/explorer', { 'accept-encoding': 'gzip' })
    const tag = first.headers.get('etag') as string
    const again = await get('/explorer', { 'accept-encoding': 'gzip', 'if-none-match': `W/${tag}` })
    expect(again.status).toBe(304)
    expect(await again.text()).toBe('')
    expect((await get('/explorer', { 'if-none-match': tag })).status).toBe(200)
    const [style = ''] = assetsIn(await (await get('/explorer')).text())
    expect((await get(style)).headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(first.headers.get('cache-control')).toBe('no-cache')
  })

  test('when / is requested, then a browser is led to it, and a program gets the description of the node', async () => {
    const browser = await get('/', { accept: 'text/html,*/*;q=0.8' })
    expect([browser.status, browser.headers.get('location')]).toEqual([302, '/explorer'])
    expect((await get('/', { accept: '*/*' })).status).toBe(201)
  })

  test('when its pages send requests, then their origin is allowed, and no other', async () => {
    const post = (origin: string, own = true) =>
      send('/', { method: 'POST', headers: { origin }, body: '{' }, own ? { pages } : {})
    expect((await post('http://localhost:8545')).status).toBe(400)
    expect((await post('http://localhost:9999')).status).toBe(403)
    expect((await post('http://evil.example')).status).toBe(403)
    expect((await post('http://localhost:8545', false)).status).toBe(403)
  })
})

describe('given a node without the explorer', () => {
  test('when its pages are requested, then there are none', async () => {
    for (const path of ['/explorer', '/block/5']) expect((await send(path)).status).toBe(404)
    expect((await send('/', { headers: { accept: 'text/html' } })).status).toBe(201)
  })
})

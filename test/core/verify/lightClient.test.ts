import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fromHex, toHex } from '../../../core/bytes/hex.ts'
import { developmentGenesis } from '../../../core/genesis/development/development.ts'
import { createLightClient, type LightClientOptions, NotProved } from '../../../core/verify/index.ts'
import { type NodeProcess, ROOT, startNode } from '../../runtime/nodeProcess.ts'
import { CHROMIUM, openPage } from '../../support/programs/chromium.ts'
import { ask, makeTokenChain, type TokenChain } from '../../support/readers/readerRequests.ts'
import { rejection } from '../../support/rejection.ts'

setDefaultTimeout(120_000)

/** A wallet page loads it: under 60 KB as browsers get it. */
const BUNDLE_BYTES_MAX = 60 * 1024

const bundle = async (): Promise<string> => {
  const built = await Bun.build({
    entrypoints: [join(ROOT, 'core/verify/index.ts')],
    target: 'browser',
    format: 'esm',
    minify: true,
  })
  return await (built.outputs[0] as Blob).text()
}

/** The head, and the balance and slot of accounts, as the page proves them. */
const pageOf = (nodeUrl: string, genesis: string, { account, token }: TokenChain): string => `<!doctype html>
<title>Light client</title>
<script type="module">
  import { createLightClient } from '/verify.js'
  const request = async (method, params) => {
    const response = await fetch(${JSON.stringify(nodeUrl)}, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
    return (await response.json()).result
  }
  const bytes = text => Uint8Array.from(text.slice(2).match(/../g), digits => parseInt(digits, 16))
  try {
    const client = createLightClient({ genesis: ${JSON.stringify(genesis)}, request })
    const head = await client.head()
    const holder = await client.account(bytes(${JSON.stringify(account)}))
    const token = await client.account(bytes(${JSON.stringify(token)}), [0n])
    document.title = [head.number, holder.balance, holder.nonce, token.slots.get(0n)].join(' ')
  } catch (error) {
    document.title = 'failed: ' + error.message
  }
</script>`

describe('a light client of a node that is not trusted', () => {
  const folder = mkdtempSync(join(tmpdir(), 'quorate-light-'))
  let node: NodeProcess
  let genesis = ''
  let chain: TokenChain

  beforeAll(async () => {
    node = await startNode(folder, ['--min-gas-price=0', '--rpc-http-cors-origins=*'])
    genesis = readFileSync(join(folder, 'genesis.json'), 'utf8')
    chain = await makeTokenChain(node.url, 5)
  })
  afterAll(async () => {
    await node?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  type Answers = Readonly<Record<string, unknown>>

  /** A client whose node changes its answers. */
  const clientOf = (
    change: (method: string, result: Answers) => unknown = (_, result) => result,
    checkpoint?: LightClientOptions['checkpoint'],
  ) =>
    createLightClient({
      genesis,
      ...(checkpoint === undefined ? {} : { checkpoint }),
      request: async (method, params) => {
        const { result } = JSON.parse(await ask(node.url, [method, ...params])) as { result: Answers }
        return change(method, result)
      },
    })
  const address = (): Uint8Array => fromHex(chain.account.slice(2).toLowerCase())

  test('given an honest node, then it proves the head, accounts, slots, and what is not there', async () => {
    const client = clientOf()
    const head = await client.head()
    const latest = JSON.parse(await ask(node.url, ['eth_getBlockByNumber', 'latest', false])) as {
      result: { number: string; hash: string }
    }
    expect([head.number, toHex(head.hash)]).toEqual([BigInt(latest.result.number), latest.result.hash])
    const account = await client.account(address(), [0n])
    const balance = JSON.parse(await ask(node.url, ['eth_getBalance', chain.account])) as { result: string }
    expect(account).toMatchObject({ exists: true, balance: BigInt(balance.result), nonce: 6n })
    expect(account.slots.get(0n)).toBe(0n)
    expect(await client.account(new Uint8Array(20).fill(0xee))).toMatchObject({ exists: false, balance: 0n })
  })

  test('given a checkpoint, then it begins there, and another hash is refused', async () => {
    const block = JSON.parse(await ask(node.url, ['eth_getBlockByNumber', '0x3', false])) as {
      result: { hash: string }
    }
    const hash = fromHex(block.result.hash.slice(2))
    expect((await clientOf(undefined, { number: 3n, hash }).head()).number).toBe(6n)
    const other = clientOf(undefined, { number: 3n, hash: new Uint8Array(32) })
    expect(String(await rejection(other.head()))).toContain('trusted block 3')
  })

  test('given a forged state root, then the head is refused', async () => {
    const client = clientOf((method, result) =>
      method === 'eth_getBlockByNumber' ? { ...result, stateRoot: `0x${'12'.repeat(32)}` } : result,
    )
    expect(String(await rejection(client.head()))).toMatch(/seal/)
  })

  test.each([
    ['balance', { balance: '0xffff' }],
    ['nonce', { nonce: '0x1' }],
    ['proof', { accountProof: [] }],
  ])('given a forged %s, then the account is refused', async (_, forged) => {
    const client = clientOf((method, result) =>
      method === 'eth_getProof' ? { ...result, ...forged } : result,
    )
    expect(await rejection(client.account(address()))).toBeInstanceOf(Error)
  })

  test('given the genesis file of other validators, then nothing of this network is accepted', async () => {
    const client = createLightClient({
      genesis: JSON.stringify(developmentGenesis({ validator: new Uint8Array(20).fill(5) })),
      request: async (method, params) =>
        (JSON.parse(await ask(node.url, [method, ...params])) as { result: unknown }).result,
    })
    expect(await rejection(client.head())).toBeInstanceOf(NotProved)
  })

  test('given a bundle for browsers, then it is small', async () => {
    expect(Bun.gzipSync(new TextEncoder().encode(await bundle())).length).toBeLessThan(BUNDLE_BYTES_MAX)
  })

  test.skipIf(CHROMIUM === undefined)(
    'given a page in Chromium, then it proves a balance by itself',
    async () => {
      const script = await bundle()
      const page = pageOf(node.url, genesis, chain)
      const server = Bun.serve({
        port: 0,
        hostname: '127.0.0.1',
        fetch: request =>
          new URL(request.url).pathname === '/verify.js'
            ? new Response(script, { headers: { 'content-type': 'text/javascript' } })
            : new Response(page, { headers: { 'content-type': 'text/html' } }),
      })
      const browser = await openPage(CHROMIUM as string)
      try {
        await browser.open(`http://127.0.0.1:${server.port}/`)
        await browser.until('/^[0-9f]/.test(document.title)')
        const balance = JSON.parse(await ask(node.url, ['eth_getBalance', chain.account])) as {
          result: string
        }
        expect(await browser.evaluate('document.title')).toBe(`6 ${BigInt(balance.result)} 6 0`)
      } finally {
        await browser.close()
        await server.stop(true)
      }
    },
  )
})

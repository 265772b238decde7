import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hashSync } from 'bcryptjs'
import { expect } from 'bun:test'
import { readEvents } from '../handlers/graphql/support/eventStream.ts'
import { withFolder } from '../runtime/folder.ts'
import {
  isInstalled,
  type NodeProcess,
  type RuntimeName,
  runCommand,
  startNode,
} from '../runtime/nodeProcess.ts'
import { clientsOf } from '../runtime/transactions.ts'
import { type Scenario, scenario } from '../support/scenario.ts'
import { until } from '../support/until.ts'

const RUNTIMES: readonly RuntimeName[] = ['bun', 'node', 'deno']

/** May read the chain, and nothing of its consensus. */
const USERS = `[Users.reader]
password = "${hashSync('secret', 4)}"
permissions = ["eth:*"]
`

const portOf = (folder: string, service: string): string =>
  new RegExp(`^${service}=(\\d+)$`, 'm').exec(readFileSync(join(folder, 'besu.ports'), 'utf8'))?.[1] as string

const startIn = async (
  folder: string,
  runtime: RuntimeName,
  args: readonly string[],
): Promise<{ readonly node: NodeProcess; readonly url: string }> => {
  const given = args.map(arg => arg.replace('FOLDER', folder))
  writeFileSync(join(folder, 'users.toml'), USERS)
  const all = ['--p2p-enabled=false', '--graphql-http-enabled', '--graphql-http-port=0', ...given]
  const node = await startNode(folder, all, { runtime })
  return { node, url: `http://127.0.0.1:${portOf(folder, 'graphql-http')}` }
}

const withNode = (
  runtime: RuntimeName,
  args: readonly string[],
  run: (node: NodeProcess, url: string) => Promise<void>,
): Promise<void> =>
  withFolder(async folder => {
    const { node, url } = await startIn(folder, runtime, args)
    try {
      await run(node, url)
    } finally {
      await node.stop()
    }
  })

const post = (url: string, query: string, headers: Record<string, string> = {}, signal?: AbortSignal) =>
  fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query }),
    ...(signal === undefined ? {} : { signal }),
  })

const TOKENS = [
  '--rpc-http-authentication-enabled',
  '--rpc-http-authentication-credentials-file=FOLDER/users.toml',
]

const defineOn = (runtime: RuntimeName, { beforeAll, afterAll, test }: Scenario): void => {
  const folder = mkdtempSync(join(tmpdir(), 'quorate-graphql-'))
  let open: { readonly node: NodeProcess; readonly url: string }

  beforeAll(async () => {
    open = await startIn(folder, runtime, [])
  })
  afterAll(async () => {
    await open.node.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  test('given GraphQL, when requests come, then it answers, redirects, shows a page, and refuses what is too long', async () => {
    const { node, url } = open
    const answer = await post(url, '{ chainID block { number hash } qbft { round } }')
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
    const head = await node.rpc<{ hash: string }>('eth_getBlockByNumber', 'latest', false)
    expect(await answer.json()).toMatchObject({
      data: { chainID: '0x539', block: { hash: head.hash }, qbft: {} },
    })
    expect((await post(url, '{ nothing }')).status).toBe(400)
    expect((await fetch(url, { redirect: 'manual' })).status).toBe(308)
    expect((await fetch(url, { method: 'POST', body: '{ chainID }' })).status).toBe(200)
    const page = await fetch(url, { headers: { accept: 'text/html' } })
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect((await page.text()).length).toBeGreaterThan(1_000_000)
    const long = await fetch(`${url}/graphql`, { method: 'POST', body: 'x'.repeat(10 * 1024 * 1024 + 1) })
    expect(long.status).toBe(413)
    expect(node.output()).toContain(`${url}/graphql`)
  })

  test('given subscribers, when blocks and transactions come, then they get them, and the node stops at once nevertheless', async () => {
    const { node, url } = open
    const accept = { accept: 'text/event-stream' }
    const leaving = new AbortController()
    const gone = await post(url, 'subscription { newHeads { number } }', accept, leaving.signal)
    const heads = readEvents(
      await post(url, 'subscription { newHeads { number transactions { hash } } }', accept),
    )
    const pending = readEvents(await post(url, 'subscription { pendingTransactions { hash } }', accept))
    expect(gone.status).toBe(200)
    leaving.abort()
    const { wallet, reader } = clientsOf(node.url)
    const hash = await wallet.sendTransaction({
      to: '0x00000000000000000000000000000000000000ee',
      value: 1n,
    })
    expect((await pending.next())?.data).toEqual({ pendingTransactions: { hash } })
    await reader.waitForTransactionReceipt({ hash })
    expect((await heads.next())?.data).toEqual({ newHeads: { number: '0x1', transactions: [{ hash }] } })
    expect(await node.stop()).toBe(0)
    expect(await heads.next()).toBeUndefined()
  })

  test('given calls without end, when they run, then they end, delay nobody, and free their worker', () =>
    withNode(runtime, ['--Xhttp-timeout-seconds=3', '--rpc-gas-cap=0', '--rpc-workers=1'], async (_, url) => {
      // JUMPDEST, PUSH1 0, JUMP
      const endless = '{ block { call(data: { data: "0x5b600056", gas: "0xffffffffffff" }) { status } } }'
      for (let round = 0; round < 2; round++) {
        const waiting = post(url, endless)
        expect((await post(url, '{ block { number } }')).status).toBe(200)
        const late = await waiting
        expect(late.status).toBe(504)
        expect(await late.json()).toMatchObject({ errors: [{ message: 'Timeout expired' }] })
      }
      const short = '{ block { call(data: { data: "0x00" }) { status } estimateGas(data: {}) } }'
      const answers = async (): Promise<boolean> =>
        Bun.deepEquals(await (await post(url, short)).json(), {
          data: { block: { call: { status: '0x1' }, estimateGas: '0xcf08' } },
        })
      // On a busy machine a new worker may take longer to start than this node gives a request.
      await until(answers)
    }))

  test('given tokens of JSON-RPC over HTTP, when GraphQL is called, then it needs them', async () => {
    await withNode(runtime, TOKENS, async (node, url) => {
      const refused = await post(url, '{ chainID }')
      expect(refused.status).toBe(401)
      expect(await refused.json()).toMatchObject({ errors: [{ message: 'Unauthorized' }] })
      const login = await fetch(`${node.url}/login`, {
        method: 'POST',
        body: JSON.stringify({ username: 'reader', password: 'secret' }),
      })
      const { token } = (await login.json()) as { readonly token: string }
      const bearer = { authorization: `Bearer ${token}` }
      expect((await post(url, '{ chainID block { number } }', bearer)).status).toBe(200)
      const partly = await post(url, '{ chainID validators }', bearer)
      expect(partly.status).toBe(401)
      expect(await partly.json()).toMatchObject({ data: { chainID: '0x539', validators: null } })
    })
  })
}

for (const runtime of RUNTIMES) {
  const installed = isInstalled(runtime)
  scenario(
    `GraphQL on ${runtime}${installed ? '' : ' (it is not installed)'}`,
    own => defineOn(runtime, own),
    {
      skip: !installed,
    },
  )
}

scenario('GraphQL without tokens', ({ test }) => {
  test('given tokens of JSON-RPC over HTTP, when GraphQL is configured without them, then it needs none', () =>
    withNode('bun', [...TOKENS, '--graphql-http-authentication-enabled=false'], async (_, url) => {
      expect((await post(url, '{ chainID }')).status).toBe(200)
    }))

  test('given no tokens of JSON-RPC over HTTP, when GraphQL is to need some, then the start is refused', () =>
    withFolder(async folder => {
      const { code, error } = await runCommand([
        `--data-path=${folder}`,
        '--graphql-http-enabled',
        '--graphql-http-authentication-enabled',
      ])
      expect(code).toBe(2)
      expect(error).toContain('--graphql-http-authentication-enabled needs --rpc-http-authentication-enabled')
    }))
})

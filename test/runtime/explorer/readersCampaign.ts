import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { createExplorer } from '../../../handlers/explorer/explorer.ts'
import { CHROMIUM, openPage, type Page } from '../../support/programs/chromium.ts'
import { startReader } from '../../support/readers/readerProcess.ts'
import { makeTokenChain } from '../../support/readers/readerRequests.ts'
import { startRedis } from '../../support/servers/redis.ts'
import { startWorker } from '../../support/servers/worker.ts'
import { until } from '../../support/until.ts'
import { withFolder } from '../folder.ts'
import { startNode } from '../nodeProcess.ts'

/*
 * The explorer on a node, on a reader over Redis, and before a Worker in workerd, with the same chain:
 * `bun test/runtime/explorer/readersCampaign.ts`. Opens every page, compares the tables with those of the node, and prints the
 * sentences of the panels without data. Ends with an error when a page shows other rows than the node's, or says nothing.
 */

const SECRET = 'a secret of this deployment'
const APIS = 'ETH,NET,WEB3,QBFT,DEBUG,TXPOOL'
const TRANSFERS = 12
/** A page that shows the same so often, four times a second, is complete. */
const SAME_READS = 4

/** Serves the pages of the explorer, and hands all other requests on to the Worker. */
const serveBefore = (worker: string) => {
  const pages = createExplorer({ webSocketPort: undefined })
  return Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: async request => {
      const asset = await pages(request)
      if (asset !== undefined) return asset
      const answer = await fetch(worker, {
        method: request.method,
        headers: { 'content-type': 'application/json' },
        body: await request.text(),
      })
      // Without the header that names the compression, which `fetch` has undone.
      return new Response(await answer.arrayBuffer(), {
        status: answer.status,
        headers: { 'content-type': answer.headers.get('content-type') ?? 'application/json' },
      })
    },
  })
}

type Shown = { readonly rows: readonly string[]; readonly notices: readonly string[] }

/** The links in the first column of the tables, and the sentences of the panels. */
const shownAt = async (page: Page, url: string): Promise<Shown> => {
  await page.open(url)
  await page.until(
    "document.querySelector('main h1') !== null && document.querySelector('main .loading') === null",
  )
  const texts = async (selector: string): Promise<readonly string[]> =>
    JSON.parse(
      String(
        await page.evaluate(
          `JSON.stringify([...document.querySelectorAll('main ${selector}')].map(one => one.textContent))`,
        ),
      ),
    ) as readonly string[]
  const read = async (): Promise<Shown> => ({
    rows: await texts('tbody tr td:first-child'),
    notices: await texts('.notice'),
  })
  // Blocks come in several answers; the chain makes no more.
  let shown = await read()
  let same = 0
  await until(
    async () => {
      const before = shown
      shown = await read()
      same = Bun.deepEquals(before, shown) ? same + 1 : 0
      return same === SAME_READS
    },
    { what: `the whole page ${url}`, pollMs: 250 },
  )
  return shown
}

const numberOf = async (url: string): Promise<number> => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] })
  const answer = (await (await fetch(url, { method: 'POST', body })).json().catch(() => undefined)) as
    | { result?: string }
    | undefined
  return Number(answer?.result ?? -1)
}

if (CHROMIUM === undefined) throw new Error('no chromium is installed')
await withFolder(async folder => {
  const stops: (() => unknown)[] = []
  try {
    const first = await startNode(folder, ['--min-gas-price=0'])
    await first.stop()
    const genesisFile = join(folder, 'genesis.json')
    const redis = await startRedis()
    stops.push(() => redis.remove())
    const worker = await startWorker({
      environment: '',
      variables: {
        MIN_GAS_PRICE: '0',
        APIS,
        GAS_CAP: '100000000',
        STORE_SECRET: SECRET,
        GENESIS: JSON.stringify(JSON.parse(readFileSync(genesisFile, 'utf8'))),
      },
    })
    stops.push(() => worker.stop())
    const node = await startNode(folder, [
      '--min-gas-price=0',
      `--replicate-to=redis?url=${redis.url},http?url=${worker.url}&secret=${encodeURIComponent(SECRET)}`,
    ])
    stops.push(() => node.kill())
    const { token, account, hashes } = await makeTokenChain(node.url, TRANSFERS)
    const head = await numberOf(node.url)
    const reader = await startReader([
      `--genesis-file=${genesisFile}`,
      `--from=redis?url=${redis.url}`,
      '--explorer-enabled',
      `--rpc-http-api=${APIS}`,
    ])
    stops.push(() => reader.stop())
    const proxy = serveBefore(worker.url)
    stops.push(() => proxy.stop(true))
    const before = `http://127.0.0.1:${proxy.port}`
    for (const url of [reader.url, before])
      await until(async () => (await numberOf(url)) === head, { what: `the head at ${url}` })
    const page = await openPage(CHROMIUM as string)
    stops.push(() => page.close())
    const paths = [
      '/explorer',
      '/explorer/blocks',
      '/explorer/validators',
      '/explorer/network',
      '/explorer/pool',
      `/block/${head}`,
      ...['overview', 'events', 'calls', 'state', 'raw'].map(tab => `/tx/${hashes.at(-1)}?tab=${tab}`),
      `/address/${account}`,
      `/address/${token}?tab=transfers`,
      `/address/${token}?tab=events`,
      `/token/${token}`,
    ]
    for (const path of paths) {
      const expected = await shownAt(page, node.url + path)
      for (const [name, url] of [
        ['reader', reader.url],
        ['Worker', before],
      ] as const) {
        const { rows, notices } = await shownAt(page, url + path)
        const same = Bun.deepEquals(rows, expected.rows)
        const missing = notices.filter(text => !expected.notices.includes(text))
        process.stdout.write(
          `${name} ${path}: ${rows.length} rows${same ? '' : `, the node has ${expected.rows.length}`}\n`,
        )
        for (const text of missing) process.stdout.write(`  ${text}\n`)
        if (!same && missing.length === 0) throw new Error(`${name} ${path} differs and does not say why`)
      }
    }
    if (page.failures.length > 0) throw new Error(page.failures.join('\n'))
  } finally {
    for (const stop of stops.reverse()) await stop()
  }
})
process.exit(0)

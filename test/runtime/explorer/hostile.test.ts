import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { seededRandom } from '../../support/random.ts'
import { CHROMIUM, openPage, type Page } from '../../support/programs/chromium.ts'
import { PROCESS_TEST_TIMEOUT_MS } from '../nodeProcess.ts'
import { batchOf, HOSTILE_NAME, hostileChain, revertWith, TOKEN, TRANSACTION } from './scriptedChain.ts'
import { type Results, type ScriptedNode, startScriptedNode } from './scriptedNode.ts'

setDefaultTimeout(2 * PROCESS_TEST_TIMEOUT_MS)

const PAGES = [
  '/explorer',
  '/explorer/blocks',
  '/explorer/validators',
  '/explorer/network',
  '/explorer/pool',
  '/block/40',
  `/tx/${TRANSACTION}`,
  `/tx/${TRANSACTION}?tab=events`,
  `/tx/${TRANSACTION}?tab=calls`,
  `/tx/${TRANSACTION}?tab=state`,
  `/address/${TOKEN}`,
  `/address/${TOKEN}?tab=transfers`,
  `/token/${TOKEN}`,
]

/** What a node may answer in place of what a method gives. */
const LIES: readonly unknown[] = [
  null,
  0,
  -1.5,
  '',
  'x',
  `0x${'f'.repeat(1_000_000)}`,
  [],
  [null],
  [[]],
  {},
  { number: null, hash: {}, transactions: 'all', validators: 5, logs: null, pre: null },
  { status: 'stalled', validators: [null], votes: null, transitions: {}, explanation: 7 },
]

const METHODS = [
  'eth_blockNumber',
  'eth_chainId',
  'web3_clientVersion',
  'eth_getBlockByNumber',
  'eth_getTransactionByHash',
  'eth_getTransactionReceipt',
  'eth_getLogs',
  'eth_getBalance',
  'eth_getTransactionCount',
  'eth_getCode',
  'eth_call',
  'debug_traceTransaction',
  'qbft_getStatus',
  'qbft_getPendingVotes',
  'txpool_status',
  'txpool_besuPendingTransactions',
  'txpool_explain',
  'net_peerCount',
  'admin_peers',
  'admin_nodeInfo',
  'ots_searchTransactionsBefore',
  'ots_getContractCreator',
  'eth_gasPrice',
]

/** Honest results, of which a few methods lie. */
const lies = (random: ReturnType<typeof seededRandom>): Results => {
  const honest = hostileChain()
  const liars = METHODS.filter(() => random.below(3) === 0)
  return { ...honest, ...Object.fromEntries(liars.map(name => [name, LIES[random.below(LIES.length)]])) }
}

const READ = "document.querySelector('main h1') !== null && document.querySelector('main .loading') === null"

/** Pages that are opened with lies; each takes a quarter of a second. */
const LOADS = Number(process.env['LOADS'] ?? 6)

describe.skipIf(CHROMIUM === undefined)('given a browser and a node that answers what a test chooses', () => {
  let node: ScriptedNode
  let page: Page

  beforeAll(async () => {
    node = startScriptedNode()
    page = await openPage(CHROMIUM as string)
  })
  afterAll(async () => {
    await page?.close()
    await node?.stop()
  })

  const text = async (): Promise<string> => String(await page.evaluate('document.body.textContent'))
  const opened = async (path: string): Promise<void> => {
    await page.open(node.url + path)
    await page.until(READ)
  }

  test('when names, amounts and code of the chain are hostile, then each page shows them as text', async () => {
    node.use(hostileChain({ input: `0xdeadbeef${'ab'.repeat(500_000)}` }))
    for (const path of PAGES) {
      await opened(path)
      expect(await page.evaluate("document.querySelector('main img, main script, footer img')")).toBeNull()
      expect(await page.evaluate('document.title')).not.toBe('owned')
      expect(await text()).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u200b]/)
    }
    expect(await text()).toContain(`… ${(HOSTILE_NAME.length * 10_000).toString()} characters`)
  })

  test('when a page opens in the background, where effects run after the answers of the node, then it is read', async () => {
    node.use(hostileChain())
    const { identifier } = await page.command('Page.addScriptToEvaluateOnNewDocument', {
      source: `Object.defineProperty(document, 'hidden', { get: () => true })
        requestAnimationFrame = () => 0
        const wait = setTimeout
        setTimeout = (run, ms = 0) => wait(run, ms < 100 ? 300 : ms)`,
    })
    await opened('/explorer/validators')
    await page.command('Page.removeScriptToEvaluateOnNewDocument', { identifier })
  })

  test('when a failed call gives a reason of a megabyte, then its beginning is shown', async () => {
    node.use(hostileChain({ revertReason: revertWith(HOSTILE_NAME.repeat(10_000)) }))
    await opened(`/tx/${TRANSACTION}`)
    await page.until("document.querySelector('main dd .foreign') !== null")
    expect(await text()).toContain('U+202E')
    expect((await text()).length).toBeLessThan(10_000)
  })

  test('when an event moves thousands of tokens, then some are drawn, and how many there are', async () => {
    node.use(hostileChain({ logs: [batchOf(5_000)] }))
    await opened(`/tx/${TRANSACTION}`)
    await page.until("document.querySelectorAll('main tbody tr').length === 200")
    expect(await text()).toContain('of 5\u202f000 transfers')
  })

  test('when a transaction makes a hundred thousand calls, wide and deep, then they open one after the other', async () => {
    const frame = (calls: readonly unknown[]) => ({
      type: 'CALL',
      from: TOKEN,
      to: TOKEN,
      gas: '0xffff',
      gasUsed: '0x5208',
      input: '0x',
      calls,
    })
    const wide = frame(Array.from({ length: 300 }, () => frame(Array.from({ length: 333 }, () => frame([])))))
    let deep = frame([])
    for (let depth = 0; depth < 1_023; depth++) deep = frame([deep])
    node.use(hostileChain({ frame: wide }))
    await opened(`/tx/${TRANSACTION}?tab=calls`)
    await page.until("document.querySelectorAll('main .tree details').length === 101")
    await page.evaluate("document.querySelectorAll('main .tree details')[1].open = true")
    await page.until("document.querySelectorAll('main .tree details').length === 201")
    node.use(hostileChain({ frame: deep }))
    await opened(`/tx/${TRANSACTION}?tab=calls`)
    await page.until("document.querySelectorAll('main .tree details').length === 4")
  })

  test('when an ABI is old or has hostile names, then its functions are listed as text', async () => {
    node.use(hostileChain())
    const abi = [
      {
        constant: true,
        name: HOSTILE_NAME,
        inputs: [{ name: HOSTILE_NAME, type: 'uint256' }],
        type: 'function',
      },
      { type: 'function', name: 'odd', inputs: [{ type: `${HOSTILE_NAME}[]`, name: '__proto__' }] },
      { type: 'event', name: 'TransferBatch', inputs: [{ type: 'uint256', name: 'a' }] },
      { type: 'constructor' },
    ]
    await opened(`/address/${TOKEN}?tab=contract`)
    await page.until("document.querySelector('textarea[name=abi]') !== null")
    await page.evaluate(
      `document.querySelector('textarea[name=abi]').value = ${JSON.stringify(JSON.stringify(abi))};
       document.querySelector('main form').requestSubmit()`,
    )
    await page.until("document.querySelectorAll('main .function').length === 2")
    expect(await page.evaluate("document.querySelector('main img, main script')")).toBeNull()
    expect(await text()).not.toMatch(/[\u202a-\u202e\u200b]/)
    await page.evaluate('localStorage.clear()')
  })

  test('when a node lies, then the page says that a part cannot be shown, and the rest stays', async () => {
    const random = seededRandom(38)
    for (let load = 0; load < LOADS; load++) {
      node.use(lies(random))
      await page.open(node.url + (PAGES[load % PAGES.length] as string))
      await page.until("document.querySelector('header.top') !== null && document.readyState === 'complete'")
      await page.until("(document.querySelector('main')?.textContent ?? '').length > 3")
      expect(await page.evaluate("document.querySelectorAll('header.top nav a').length")).toBe(5)
    }
    expect(page.failures).toEqual([])
  })
})

import process from 'node:process'
import { signTransaction } from '../../../core/block/codec/signature.ts'
import { fromHex, toHex } from '../../../core/bytes/hex.ts'
import { DEVELOPMENT_ACCOUNTS } from '../../../core/genesis/development/accounts.ts'
import { useFastEngine } from '../../../runtime/node/opening/engine.ts'
import { BARE_FIELDS } from '../../support/chains/bareFields.ts'
import { CHROMIUM, openPage, type Page } from '../../support/programs/chromium.ts'
import { until } from '../../support/until.ts'
import { CHAIN_ID } from '../../compatibility/contract.ts'
import { withFolder } from '../folder.ts'
import { startNode } from '../nodeProcess.ts'

/*
 * An account with a hundred thousand transactions, with the index and in the browser: `bun test/runtime/explorer/longAccount.ts
 * [TRANSACTIONS]`. Sends them to one account in blocks of a thousand, follows the links of its page, and compares what it shows
 * with what was sent.
 */

const TRANSACTIONS = Number(process.argv[2] ?? 100_000)
const BLOCK_TRANSACTIONS = 1_000
const RECIPIENT = fromHex('00000000000000000000000000000000000acc01')
/** Pages that are opened one after the other by their links. */
const FOLLOWED = Math.min(20, Math.ceil(TRANSACTIONS / BLOCK_TRANSACTIONS))

/** Transactions that a page shows at once. */
const SHOWN_MAX = 50

type Results = readonly { readonly result?: unknown; readonly error?: { readonly message: string } }[]

const batch = async (url: string, calls: readonly (readonly [string, ...unknown[]])[]): Promise<Results> => {
  const body = calls.map(([method, ...params], id) => ({ jsonrpc: '2.0', id, method, params }))
  const answers = (await (await fetch(url, { method: 'POST', body: JSON.stringify(body) })).json()) as Results
  const refused = answers.find(({ error }) => error !== undefined)
  if (refused !== undefined) throw new Error(refused.error?.message)
  return answers
}

const signed = (sender: number, nonce: number): string => {
  const { privateKey } = DEVELOPMENT_ACCOUNTS[sender] as (typeof DEVELOPMENT_ACCOUNTS)[number]
  const fields = {
    type: 2,
    chainId: BigInt(CHAIN_ID),
    nonce: BigInt(nonce),
    maxPriorityFeePerGas: 1_000_000_000n,
    maxFeePerGas: 100_000_000_000n,
    gasLimit: 21_000n,
    to: RECIPIENT,
    value: 1n,
    data: new Uint8Array(0),
    ...BARE_FIELDS,
  } as const
  return toHex(signTransaction(fields, privateKey).encoded)
}

/** Makes blocks until each sender has that nonce: on a busy machine one has no time for all. */
const mineAll = async (url: string, nonce: number): Promise<void> => {
  const counts = DEVELOPMENT_ACCOUNTS.map(
    ({ address }) => ['eth_getTransactionCount', toHex(address), 'latest'] as const,
  )
  for (;;) {
    await batch(url, [['evm_mine']])
    if ((await batch(url, counts)).every(({ result }) => Number(result) === nonce)) return
  }
}

/** Sends all transactions. Returns the milliseconds. */
const fill = async (url: string): Promise<number> => {
  const start = performance.now()
  const senders = DEVELOPMENT_ACCOUNTS.length
  for (let sent = 0; sent < TRANSACTIONS; sent += BLOCK_TRANSACTIONS) {
    const calls = Array.from({ length: BLOCK_TRANSACTIONS }, (_, index) => {
      const number = sent + index
      return ['eth_sendRawTransaction', signed(number % senders, Math.floor(number / senders))] as const
    })
    for (let at = 0; at < calls.length; at += 100) await batch(url, calls.slice(at, at + 100))
    await mineAll(url, (sent + BLOCK_TRANSACTIONS) / senders)
  }
  return performance.now() - start
}

const rowsOf = async (page: Page): Promise<readonly string[]> =>
  JSON.parse(
    String(
      await page.evaluate(
        "JSON.stringify([...document.querySelectorAll('main tbody tr td:first-child a')].map(a => a.pathname.split('/')[2]))",
      ),
    ),
  ) as readonly string[]

type Found = { readonly txs: readonly { readonly hash: string }[]; readonly lastPage: boolean }

/** Follows the links to earlier transactions. Returns the milliseconds of each page. */
const follow = async (page: Page, url: string): Promise<readonly number[]> => {
  const times: number[] = []
  const shown = new Set<string>()
  await page.open(`${url}/address/${toHex(RECIPIENT)}`)
  for (let opened = 0; opened < FOLLOWED; opened++) {
    const start = performance.now()
    await until(async () => (await rowsOf(page)).some(hash => !shown.has(hash)), { what: 'the next page' })
    times.push(performance.now() - start)
    const rows = await rowsOf(page)
    if (rows.some(hash => shown.has(hash))) throw new Error('a page shows a transaction again')
    for (const hash of rows) shown.add(hash)
    await page.evaluate("[...document.querySelectorAll('main nav.pages a')].at(-1).click()")
  }
  return times
}

const summary = (times: readonly number[]): string => {
  const sorted = times.toSorted((a, b) => a - b)
  return `median ${sorted[sorted.length >> 1]?.toFixed(0)} ms, longest ${sorted.at(-1)?.toFixed(0)} ms`
}

if (CHROMIUM === undefined) throw new Error('no chromium is installed')
await useFastEngine()
await withFolder(async folder => {
  const node = await startNode(folder, ['--explorer-index', '--tx-pool-limit-by-account-percentage=1'])
  try {
    await node.rpc('evm_setAutomine', false)
    const ms = await fill(node.url)
    process.stdout.write(`${TRANSACTIONS} transactions in ${(ms / 1000).toFixed(1)} s\n`)
    const search = (below: number): Promise<Found> =>
      node.rpc('ots_searchTransactionsBefore', toHex(RECIPIENT), below, 50)
    const first = await until(
      async () => {
        const found = await search(0)
        return found.txs.length > 0 && (await search(2)).lastPage ? found : undefined
      },
      { what: 'the index', timeoutMs: 300_000 },
    )
    const page = await openPage(CHROMIUM as string)
    try {
      process.stdout.write(`pages in the browser: ${summary(await follow(page, node.url))}\n`)
      const expected = (await search(2)).txs.slice(0, SHOWN_MAX).map(({ hash }) => hash)
      await page.open(`${node.url}/address/${toHex(RECIPIENT)}?below=2`)
      await page.until(`document.querySelectorAll('main tbody tr').length === ${expected.length}`)
      await page.until("document.querySelectorAll('main nav.pages a').length === 1")
      if (!Bun.deepEquals(await rowsOf(page), expected))
        throw new Error('the earliest page differs from JSON-RPC')
      const asked = performance.now()
      for (let below = 2; below < 100; below++) await search(below)
      process.stdout.write(
        `${first.txs.length} transactions a page, ${((performance.now() - asked) / 98).toFixed(1)} ms each by JSON-RPC\n`,
      )
      if (page.failures.length > 0) throw new Error(page.failures.join('\n'))
    } finally {
      await page.close()
    }
  } finally {
    await node.kill()
  }
})

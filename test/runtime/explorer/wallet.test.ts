import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DEVELOPMENT_ACCOUNTS } from '../../../core/genesis/development/accounts.ts'
import { toHex } from '../../../core/bytes/hex.ts'
import { CHROMIUM, openPage, type Page } from '../../support/programs/chromium.ts'
import { type NodeProcess, PROCESS_TEST_TIMEOUT_MS, startNode } from '../nodeProcess.ts'

setDefaultTimeout(PROCESS_TEST_TIMEOUT_MS)

const ACCOUNT = toHex((DEVELOPMENT_ACCOUNTS[0] as (typeof DEVELOPMENT_ACCOUNTS)[number]).address)
const CONTRACT = '0x00000000000000000000000000000000000c0de0'

/** Returns slot 0 to a call without parameters, and stores the first parameter there otherwise. */
const CODE = '0x36600414600e57600435600055005b60005460005260206000f3'

const ABI = [
  {
    type: 'function',
    name: 'value',
    stateMutability: 'view',
    inputs: [],
    outputs: [{ name: 'current', type: 'uint256' }],
  },
  {
    type: 'function',
    name: 'store',
    stateMutability: 'nonpayable',
    inputs: [{ name: 'next', type: 'uint256' }],
    outputs: [],
  },
]

/** A wallet (EIP-1193) that the test controls by `wallet`; the node holds its keys. */
const WALLET = `
  window.wallet = { chain: '0x539', refusals: {}, asked: [] }
  window.ethereum = {
    request: async ({ method, params }) => {
      wallet.asked.push(method)
      if (wallet.refusals[method] !== undefined) throw wallet.refusals[method]
      if (method === 'eth_chainId') return wallet.chain
      if (method === 'eth_requestAccounts') return wallet.accounts ?? ['${ACCOUNT}']
      if (method === 'wallet_switchEthereumChain') return void (wallet.chain = wallet.next ?? params[0].chainId)
      if (wallet.hash !== undefined) return wallet.hash
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
      return (await (await fetch('/', { method: 'POST', body })).json()).result
    },
  }`

const functionOf = (name: string): string =>
  `[...document.querySelectorAll('.function')].find(one => one.querySelector('summary').textContent === '${name}')`

describe.skipIf(CHROMIUM === undefined)('given a contract, its ABI and a wallet in the browser', () => {
  let folder: string
  let node: NodeProcess
  let page: Page

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'quorate-wallet-'))
    node = await startNode(folder)
    await node.rpc('anvil_setCode', CONTRACT, CODE)
    page = await openPage(CHROMIUM as string)
    await page.command('Page.addScriptToEvaluateOnNewDocument', { source: WALLET })
    await page.open(`${node.url}/address/${CONTRACT}?tab=contract`)
    await page.until("document.querySelector('textarea[name=abi]') !== null")
    await page.evaluate(
      `document.querySelector('textarea[name=abi]').value = ${JSON.stringify(JSON.stringify(ABI))};
       document.querySelector('main form').requestSubmit()`,
    )
    await page.until(`${functionOf('store')} !== undefined`)
  })
  afterAll(async () => {
    await page?.close()
    await node?.kill()
    rmSync(folder, { recursive: true, force: true })
  })

  /** Calls a function of the page, and waits until its output has the text. */
  const callAndSee = async (name: string, value: string | undefined, wanted: string): Promise<void> => {
    await page.evaluate(
      `(() => {
        const form = ${functionOf(name)}
        form.open = true
        ${value === undefined ? '' : `form.querySelector('input').value = '${value}'`}
        form.querySelector('form').requestSubmit()
      })()`,
    )
    await page.until(
      `${functionOf(name)}.querySelector('output').textContent.includes(${JSON.stringify(wanted)})`,
    )
  }
  const setWallet = (settings: string): Promise<unknown> =>
    page.evaluate(`Object.assign(wallet, { chain: '0x539', refusals: {}, asked: [] }, ${settings})`)
  const stored = async (): Promise<bigint> =>
    BigInt(await node.rpc('eth_getStorageAt', CONTRACT, '0x0', 'latest'))

  test('when a value is written, then the wallet sends it, and the page links the transaction and reads the value', async () => {
    await callAndSee('value', undefined, '0')
    await callAndSee('store', '12345678901234567890123', '0x')
    const hash = String(
      await page.evaluate(`${functionOf('store')}.querySelector('output a').pathname.split('/')[2]`),
    )
    expect(await node.rpc('eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1', from: ACCOUNT })
    expect(await stored()).toBe(12345678901234567890123n)
    await callAndSee('value', undefined, '12\u202f345\u202f678\u202f901\u202f234\u202f567\u202f890\u202f123')
  })

  test('when the wallet has another chain, then it is asked to switch before anything is sent', async () => {
    await setWallet("{ chain: '0x1' }")
    await callAndSee('store', '7', '0x')
    expect(await page.evaluate('wallet.asked.join()')).toBe(
      'eth_requestAccounts,eth_chainId,wallet_switchEthereumChain,eth_chainId,eth_sendTransaction',
    )
    expect(await stored()).toBe(7n)
  })

  test.each([
    ["{ chain: '0x1', next: '0x1' }", 'Choose chain 1337 in your wallet.'],
    [
      "{ chain: '0x1', refusals: { wallet_switchEthereumChain: { code: 4902, message: 'unrecognized' } } }",
      'Your wallet does not know this chain',
    ],
    ["{ refusals: { eth_sendTransaction: { code: 4001, message: 'denied' } } }", 'You rejected the request'],
    [
      "{ refusals: { eth_requestAccounts: Object.assign(new Error('denied'), { code: 4001 }) } }",
      'You rejected the request',
    ],
    [
      "{ refusals: { eth_sendTransaction: { code: -32603, message: 'out of \\u202efunds' } } }",
      'The wallet refused eth_sendTransaction: out of U+202Efunds',
    ],
    ['{ accounts: [] }', 'The wallet gave no account.'],
    ["{ accounts: 'none' }", 'The wallet gave no account.'],
    ["{ chain: 'mainnet', next: 'mainnet' }", 'Choose chain 1337 in your wallet.'],
    ['{ hash: { toString: null } }', 'The wallet gave no hash'],
  ])(
    'when the wallet answers as %s, then nothing is written, and the page says why',
    async (settings, reason) => {
      const before = await stored()
      await setWallet(`{ accounts: undefined, next: undefined, hash: undefined, ...${settings} }`)
      await callAndSee('store', '99', reason)
      expect(await stored()).toBe(before)
      await setWallet('{ accounts: undefined, next: undefined, hash: undefined }')
    },
  )

  test('when a value is no whole number, then the page says what it wants, and the wallet is not asked', async () => {
    await setWallet('{}')
    await callAndSee('store', '1.5', 'a whole number')
    expect(await page.evaluate('wallet.asked.length')).toBe(0)
    expect(page.failures).toEqual([])
  })
})

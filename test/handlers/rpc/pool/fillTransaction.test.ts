import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createPublicClient, custom, type Hex, parseTransaction, serializeTransaction } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { RPC_DEFAULTS } from '../../../../handlers/rpc/context.ts'
import type { CallWorkers } from '../../../../handlers/rpc/dispatch/offload.ts'
import { createRpcApp, createRpcContext, HTTP_DEFAULTS } from '../../../../handlers/http/app.ts'
import { ACCOUNTS, startTestNode, type TestNode } from '../../support/testNode.ts'

const [first, second] = ACCOUNTS as unknown as readonly [
  { readonly privateKey: Hex; readonly address: Hex },
  { readonly address: Hex },
]
const SENDER = privateKeyToAccount(first.privateKey)
const from = SENDER.address.toLowerCase()
const to = second.address

type Filled = { readonly raw: Hex; readonly tx: Readonly<Record<string, unknown>> }

let node: TestNode
let old: TestNode

beforeAll(async () => {
  node = await startTestNode()
  old = await startTestNode({
    genesis: genesis => {
      const { chainId, qbft } = genesis['config'] as Record<string, unknown>
      genesis['config'] = { chainId, berlinBlock: 0, qbft }
      delete genesis['baseFeePerGas']
    },
  })
})

afterAll(async () => {
  await node?.close()
  await old?.close()
})

const fill = async (call: object, on = node): Promise<Filled> =>
  (await on.call('eth_fillTransaction', call)) as Filled
const refusal = async (call: unknown) => (await node.rpc('eth_fillTransaction', call)).error

describe('given eth_fillTransaction', () => {
  test('when members are missing, then it fills in nonce, gas, fees, chain id and type, with the bytes to sign', async () => {
    const { raw, tx } = await fill({ from, to, value: '0x1' })
    expect(tx).toMatchObject({
      from,
      to,
      value: '0x1',
      nonce: '0x0',
      gas: '0x5208',
      chainId: '0x539',
      type: '0x2',
    })
    expect(tx).toMatchObject({ input: '0x', accessList: [], yParity: '0x0', v: '0x0', r: '0x0', s: '0x0' })
    const baseFee = BigInt((await node.call('eth_baseFee')) as string)
    const priority = BigInt((await node.call('eth_maxPriorityFeePerGas')) as string)
    expect(BigInt(tx['maxFeePerGas'] as string)).toBe(2n * baseFee + priority)
    for (const member of ['blockHash', 'blockNumber', 'transactionIndex', 'raw', 'gasPrice'])
      expect(tx).not.toHaveProperty(member)
    expect(raw).toMatch(/^0x02.*808080$/)
  })

  test('when members are given, then it keeps them, and the result can be signed and mined', async () => {
    const given = {
      from,
      to,
      gas: '0x6000',
      nonce: '0x0',
      maxFeePerGas: '0x77359400',
      maxPriorityFeePerGas: '0x1',
    }
    const { tx } = await fill(given)
    expect(tx).toMatchObject({ ...given, to })
    const client = createPublicClient({
      transport: custom({
        request: ({ method, params }: { method: string; params?: readonly unknown[] }) =>
          node.call(method, ...(params ?? [])),
      }),
    })
    const { transaction } = await client.fillTransaction({
      type: 'eip1559',
      account: SENDER,
      chain: null,
      to,
      value: 7n,
    })
    const signed = await SENDER.signTransaction(transaction)
    const hash = await node.call('eth_sendRawTransaction', signed)
    // The pool counts: the next one comes after it.
    expect((await fill({ from, to })).tx['nonce']).toBe('0x1')
    await node.mine()
    expect(await node.call('eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1' })
  })

  test.each([
    ['gasPrice', { gasPrice: '0x77359400' }, '0x0'],
    [
      'gasPrice and an access list',
      { gasPrice: '0x77359400', accessList: [{ address: to, storageKeys: [] }] },
      '0x1',
    ],
    ['an authorization list', { authorizationList: [] }, '0x4'],
  ] as const)('when it has %s, then it has the type of that member', async (_, more, type) => {
    const { raw, tx } = await fill({ from, to, ...more })
    expect(tx['type']).toBe(type)
    expect(tx['v']).toBe('0x0')
    if (type !== '0x0') expect(raw.slice(0, 4)).toBe(`0x0${type.slice(2)}`)
  })

  test('when it is legacy, then the bytes are viem’s, with zeros for the signature', async () => {
    const { raw } = await fill({ from, to, gasPrice: '0x77359400', gas: '0x5208', nonce: '0x9' })
    const unsigned = serializeTransaction({
      type: 'legacy',
      to,
      gasPrice: 2_000_000_000n,
      gas: 21_000n,
      nonce: 9,
    })
    expect(parseTransaction(raw)).toMatchObject({ ...parseTransaction(unsigned) })
  })

  test('when the chain has no EIP-1559, then it has a gas price', async () => {
    const { tx } = await fill({ from, to }, old)
    expect(tx).toMatchObject({ type: '0x0', gasPrice: await old.call('eth_gasPrice') })
    expect(tx).not.toHaveProperty('maxFeePerGas')
  })

  test.each([
    [{ from, to, chainId: '0x1' }, -32000],
    [{ from }, -32602],
    [{ from, to, gasPrice: '0x1', maxFeePerGas: '0x1' }, -32602],
    [{ from, to, maxFeePerGas: '0x1', maxPriorityFeePerGas: '0x2' }, -32000],
    [{ from, to, blobVersionedHashes: [] }, -32602],
    [{ from, authorizationList: [], input: '0x00' }, -32602],
    [{ from, input: '0xfe' }, -32000],
    [5, -32602],
  ] as const)('when it is %j, then it is refused', async (call, code) => {
    expect((await refusal(call))?.code).toBe(code)
  })

  test('when it estimates, then it is dispatched like eth_estimateGas, with its errors', async () => {
    const error = { code: 3, message: 'Execution reverted', data: '0x1234' }
    const asked: unknown[] = []
    const callWorkers: CallWorkers = {
      run: (method, { params }) => {
        asked.push(method, params)
        return Promise.resolve(asked.length === 2 ? { resultText: '"0x7777"' } : { error })
      },
    }
    const context = createRpcContext({
      ...node.context,
      options: { ...RPC_DEFAULTS, ...node.context.options },
      callWorkers,
    })
    const app = createRpcApp(context, HTTP_DEFAULTS)
    const ask = async () => {
      const body = JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'eth_fillTransaction',
        params: [{ from, to }],
      })
      const headers = { host: 'localhost', 'content-length': String(body.length) }
      return (await app.fetch(new Request('http://localhost/', { method: 'POST', body, headers }))).json()
    }
    expect(await ask()).toMatchObject({ result: { tx: { gas: '0x7777' } } })
    expect(await ask()).toMatchObject({ error })
    expect(asked.slice(0, 2)).toEqual(['eth_estimateGas', [{ from, to }]])
  })
})

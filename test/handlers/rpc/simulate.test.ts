import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { toHex, toQuantity } from '../../../core/bytes/hex.ts'
import { RPC_DEFAULTS } from '../../../handlers/rpc/context.ts'
import {
  SIMULATED_BLOCKS_MAX,
  SIMULATED_CALLS_MAX,
} from '../../../handlers/rpc/simulation/blocks/parameters.ts'
import { DEPLOYER, RECEIVER, type Sample, startSampleChain } from '../support/sampleChain.ts'
import { type RpcReply, VALIDATOR } from '../support/testNode.ts'

// Its contracts are compiled first.
setDefaultTimeout(120_000)

let sample: Sample
beforeAll(async () => {
  sample = await startSampleChain()
})
afterAll(() => sample.node.close())

type Json = Record<string, unknown>
type SimulatedBlock = Json & {
  number: string
  timestamp: string
  hash: string
  parentHash: string
  stateRoot: string
  baseFeePerGas: string
  transactions: (string & Json)[]
  calls: { status: string; returnData: string; gasUsed: string; logs: Json[]; error?: Json }[]
}

const ask = (blockStateCalls: unknown, more: object = {}, block: unknown = 'latest'): Promise<RpcReply> =>
  sample.node.rpc('eth_simulateV1', { blockStateCalls, ...more }, block)

const simulate = async (
  blocks: unknown,
  more: object = {},
  block: unknown = 'latest',
): Promise<SimulatedBlock[]> => {
  const { result, error } = await ask(blocks, more, block)
  if (error !== undefined) throw new Error(JSON.stringify(error))
  return result as SimulatedBlock[]
}

const codeOf = async (blocks: unknown, more: object = {}, block: unknown = 'latest') =>
  (await ask(blocks, more, block)).error?.code

const RICH = `0x${'aa'.repeat(20)}`
const POOR = `0x${'bb'.repeat(20)}`
const CONTRACT = `0x${'cc'.repeat(20)}`
const head = () => sample.node.chain.head().header
const word = (value: bigint | string): string => `0x${BigInt(value).toString(16).padStart(64, '0')}`

describe('given eth_simulateV1', () => {
  test('when blocks have gaps, then they are filled, a block period apart', async () => {
    const { number, timestamp } = head()
    const blocks = await simulate([{}, { blockOverrides: { number: toQuantity(number + 4n) } }])
    expect(blocks.map(block => BigInt(block.number) - number)).toEqual([1n, 2n, 3n, 4n])
    const period = sample.node.chain.configuration.consensus
    const seconds = BigInt(period.kind === 'qbft' ? Math.max(1, period.parameters.blockPeriodSeconds) : 0)
    expect(blocks.map(block => BigInt(block.timestamp) - timestamp)).toEqual(
      [1n, 2n, 3n, 4n].map(n => n * seconds),
    )
    expect(blocks[0]?.parentHash).toBe(toHex(sample.node.chain.head().hash))
    for (const [index, block] of blocks.slice(1).entries())
      expect(block.parentHash).toBe(blocks[index]?.hash as string)
    expect(Object.keys(blocks[0] as object)).toEqual(Object.keys(blocks[0] as object).sort())
  })

  test('when the same block is made, then it has the same state root', async () => {
    const { chain } = sample.node
    const nonce = BigInt((await sample.node.call('eth_getTransactionCount', DEPLOYER.address)) as string)
    const fees = { maxFeePerGas: 3_000_000_000n, maxPriorityFeePerGas: 7n, gas: 200_000n, chainId: 1337 }
    const data = sample.encode('token', 'transfer', [RECEIVER.address, 5n])
    const parent = toQuantity(head().number)
    const signed = await DEPLOYER.signTransaction({
      ...fees,
      type: 'eip1559',
      nonce: Number(nonce),
      to: sample.token,
      data,
    })
    await sample.node.call('eth_sendRawTransaction', signed)
    await sample.node.mine()
    const { header } = chain.head()
    const call = {
      from: DEPLOYER.address,
      to: sample.token,
      data,
      maxFeePerGas: toQuantity(fees.maxFeePerGas),
      maxPriorityFeePerGas: '0x7',
      gas: toQuantity(fees.gas),
    }
    const blockOverrides = { time: toQuantity(header.timestamp), feeRecipient: toHex(VALIDATOR) }
    // A block before the head: what came since is undone for it.
    const [block] = await simulate([{ calls: [call], blockOverrides }], { validation: true }, parent)
    expect(block?.stateRoot).toBe(toHex(header.stateRoot))
    expect(block?.['receiptsRoot']).toBe(toHex(header.receiptsRoot))
    expect(block?.['logsBloom']).toBe(toHex(header.logsBloom))
    expect(block?.baseFeePerGas).toBe(toQuantity(header.baseFeePerGas as bigint))
    expect(block?.['gasUsed']).toBe(toQuantity(header.gasUsed))
  })

  test('when a block follows another, then it sees its changes, and overrides persist', async () => {
    const send = (value: string) => ({ from: RICH, to: POOR, value })
    const blocks = await simulate([
      { stateOverrides: { [RICH]: { balance: '0x3e8' } }, calls: [send('0x64'), send('0x64')] },
      // Returns the balance of POOR, then the hash of the block before.
      {
        stateOverrides: {
          [CONTRACT]: { code: `0x73${POOR.slice(2)}31600052600143034060205260406000f3` },
        },
        calls: [{ to: CONTRACT }, send('0x64')],
      },
      { calls: [{ to: CONTRACT }] },
    ])
    expect(blocks[1]?.calls[0]?.returnData).toBe(
      `${word(200n)}${(blocks[0] as SimulatedBlock).hash.slice(2)}`,
    )
    expect(blocks[2]?.calls[0]?.returnData).toBe(
      `${word(300n)}${(blocks[1] as SimulatedBlock).hash.slice(2)}`,
    )
    expect(await sample.node.call('eth_getBalance', POOR)).toBe('0x0')
  })

  test('when a block writes storage, then the next one reads it, and a self-destructed account is gone', async () => {
    // Stores its input under slot 1 where there is one, else returns slot 1.
    const code = '0x36600f5760015460005260206000f35b60003560015500'
    const blocks = await simulate([
      {
        stateOverrides: { [CONTRACT]: { code, state: { '0x01': '0x05', '0x02': '0x06' } } },
        calls: [{ to: CONTRACT }, { to: CONTRACT, data: word(9n) }],
      },
      { calls: [{ to: CONTRACT }] },
      { stateOverrides: { [CONTRACT]: { state: {} } }, calls: [{ to: CONTRACT }] },
      { calls: [{ to: CONTRACT }] },
    ])
    expect(blocks.map(({ calls }) => calls[0]?.returnData)).toEqual([5n, 9n, 0n, 0n].map(word))
  })

  test('when transfers are requested, then they are logged in order with other logs, without those of failed calls', async () => {
    // Sends 1 wei on to POOR, then logs nothing with topic 7.
    const forward = `0x600060006000600060 01 73${POOR.slice(2)}61ffff f150 6007 6000 6000 a100`.replaceAll(
      ' ',
      '',
    )
    const revert = '0x60006000fd'
    const request = [
      {
        stateOverrides: { [RICH]: { balance: '0x3e8' }, [CONTRACT]: { code: forward } },
        calls: [{ from: RICH, to: CONTRACT, value: '0x2' }],
      },
      {
        stateOverrides: { [CONTRACT]: { code: revert } },
        calls: [{ from: RICH, to: CONTRACT, value: '0x2' }],
      },
    ]
    const [first, second] = await simulate(request, { traceTransfers: true })
    const transfer = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
    expect(first?.calls[0]?.logs.map(({ address, topics, data }) => [address, topics, data])).toEqual([
      [`0x${'ee'.repeat(20)}`, [transfer, word(RICH), word(CONTRACT)], word(2n)],
      [`0x${'ee'.repeat(20)}`, [transfer, word(CONTRACT), word(POOR)], word(1n)],
      [CONTRACT, [word(7n)], '0x'],
    ])
    expect(first?.calls[0]?.logs.map(({ logIndex }) => logIndex)).toEqual(['0x0', '0x1', '0x2'])
    expect(first?.calls[0]?.logs[0]).toMatchObject({
      blockHash: first?.hash,
      transactionHash: first?.transactions[0],
    })
    expect(second?.calls[0]?.logs).toEqual([])
    const [plain] = await simulate(request)
    expect(plain?.calls[0]?.logs).toHaveLength(1)
    // Transfers are no part of the receipts.
    expect(plain?.hash).toBe(first?.hash as string)
  })

  test('when calls end, then each has its result', async () => {
    const reason = sample.encode('failures', 'withReason')
    const [block] = await simulate([
      {
        stateOverrides: { [CONTRACT]: { code: '0x01' } },
        calls: [
          { to: sample.failures, data: reason },
          { to: CONTRACT, gas: '0x7530' },
          { to: sample.token, data: sample.encode('token', 'totalSupply') },
        ],
      },
    ])
    const [reverted, halted, fine] = block?.calls ?? []
    expect(reverted).toMatchObject({ status: '0x0', returnData: '0x', logs: [], error: { code: 3 } })
    expect(reverted?.error?.['message']).toMatch(/^execution reverted: ./)
    expect(halted?.error).toEqual({ code: -32015, message: 'stack underflow' })
    expect(halted?.gasUsed).toBe('0x7530')
    expect(fine?.status).toBe('0x1')
  })

  test('when whole transactions are requested, then they have senders and no signature', async () => {
    const [block] = await simulate(
      [
        {
          calls: [
            { from: RICH, to: POOR },
            { from: RICH, to: POOR, gasPrice: '0x0' },
          ],
        },
      ],
      { returnFullTransactions: true },
    )
    expect(block?.transactions).toMatchObject([
      {
        from: RICH,
        to: POOR,
        type: '0x2',
        nonce: '0x0',
        r: '0x0',
        s: '0x0',
        v: '0x0',
        blockHash: block?.hash,
      },
      { from: RICH, type: '0x0', nonce: '0x1', v: '0x0', transactionIndex: '0x1' },
    ])
  })

  test('when validation is off, then balances are checked, nonces and fees not', async () => {
    const send = { from: RICH, to: POOR, value: '0x1' }
    const funds = { [RICH]: { balance: '0xde0b6b3a7640000' } }
    const calls = (call: object) => [{ stateOverrides: funds, calls: [{ ...send, ...call }] }]
    expect(await codeOf([{ calls: [send] }])).toBe(-38014)
    expect(await codeOf(calls({ nonce: '0x5' }))).toBeUndefined()
    const validation = { validation: true }
    const price = { maxFeePerGas: '0x77359400' }
    expect(await codeOf(calls(price), validation)).toBeUndefined()
    expect(await codeOf(calls({ ...price, nonce: '0x5' }), validation)).toBe(-38011)
    expect(
      await codeOf(
        [
          {
            stateOverrides: { [RICH]: { balance: '0xde0b6b3a7640000', nonce: '0x5' } },
            calls: [{ ...send, ...price, nonce: '0x4' }],
          },
        ],
        validation,
      ),
    ).toBe(-38010)
    const last = { [RICH]: { balance: '0xde0b6b3a7640000', nonce: '0xffffffffffffffff' } }
    const sent = [{ stateOverrides: last, calls: [{ ...send, ...price }] }]
    expect(await codeOf(sent, validation)).toBe(-32603)
    expect(await codeOf(sent)).toBeUndefined()
    expect(await codeOf(calls({}), validation)).toBe(-38012)
    expect(await codeOf(calls({ maxFeePerGas: '0x1', maxPriorityFeePerGas: '0x2' }))).toBe(-32602)
    expect(await codeOf(calls({ gas: '0x1' }))).toBe(-38013)
    expect(await codeOf(calls({ gas: '0x1', to: undefined, data: `0x${'00'.repeat(60_000)}` }))).toBe(-38025)
    expect(await codeOf(calls({ gas: '0xffffffffffff' }))).toBe(-38015)
    expect(await codeOf(calls({ chainId: '0x1' }))).toBe(-32000)
    expect(await codeOf(calls({ authorizationList: [] }))).toBe(-32602)
    expect(await codeOf([{ calls: [{}] }])).toBeUndefined()
    const [free] = await simulate([{}])
    const [priced] = await simulate([{}], validation)
    expect(free?.baseFeePerGas).toBe('0x0')
    expect(BigInt(priced?.baseFeePerGas ?? 0)).toBeGreaterThan(0n)
  })

  test('when precompiles are moved, then they move for that block', async () => {
    const identity = `0x${'00'.repeat(19)}04`
    const call = { to: POOR, data: '0x1234' }
    const blocks = await simulate([
      { stateOverrides: { [identity]: { movePrecompileToAddress: POOR } }, calls: [call] },
      { calls: [call] },
    ])
    expect(blocks.map(({ calls }) => calls[0]?.returnData)).toEqual(['0x1234', '0x'])
  })

  test('when blocks are out of order or too many, then it is refused', async () => {
    const { number, timestamp } = head()
    const at = (blockOverrides: object) => ({ blockOverrides })
    expect(await codeOf([at({ number: toQuantity(number) })])).toBe(-38020)
    expect(await codeOf([{}, at({ number: toQuantity(number + 1n) })])).toBe(-38020)
    expect(await codeOf([at({ time: toQuantity(timestamp) })])).toBe(-38021)
    expect(await codeOf([at({ time: '0xffffffffffffffff' }), {}])).toBe(-38021)
    const far = number + BigInt(SIMULATED_BLOCKS_MAX)
    expect(await codeOf([at({ number: toQuantity(far + 1n) })])).toBe(-38026)
    expect((await simulate([at({ number: toQuantity(far) })])).length).toBe(SIMULATED_BLOCKS_MAX)
    expect(await codeOf(Array.from({ length: SIMULATED_BLOCKS_MAX + 1 }, () => ({})))).toBe(-38026)
    expect(await codeOf([{ calls: Array.from({ length: SIMULATED_CALLS_MAX + 1 }, () => ({})) }])).toBe(
      -38026,
    )
    for (const wrong of [
      undefined,
      [],
      [7],
      {},
      [{ calls: {} }],
      [{ stateOverrides: 7 }],
      [at({ time: 'x' })],
    ])
      expect(await codeOf(wrong)).toBe(-32602)
    expect(await codeOf([{}], { validation: 'yes' })).toBe(-32602)
    expect(await codeOf([{}], { returnTrieLog: true })).toBe(-32602)
    expect(await codeOf([{}], {}, '0xffff')).toBe(-32000)
  })

  test('when calls use gas, then they share the limit', async () => {
    const endless = {
      blockOverrides: { gasLimit: '0x4000000' },
      stateOverrides: { [CONTRACT]: { code: '0x5b600056' } },
      calls: [{ to: CONTRACT }],
    }
    const [block] = await simulate([endless])
    expect(block?.calls[0]?.gasUsed).toBe(toQuantity(RPC_DEFAULTS.simulateGasCap))
    expect(await codeOf([endless, { calls: [{ to: POOR }] }])).toBe(-38013)
  })
})

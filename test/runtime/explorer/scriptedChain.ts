import { encodeAbiParameters, type Hex, numberToHex, pad, toHex } from 'viem'
import type { Results } from './scriptedNode.ts'

/** A name that hides a script and turns what follows around. */
export const HOSTILE_NAME = `<script>document.title='owned'</script><img src=x onerror=alert(1)>\u202egnp.\u200bexe`

export const TOKEN: Hex = '0x00000000000000000000000000000000000070ce'
export const SENDER: Hex = '0x00000000000000000000000000000000000000aa'
export const TRANSACTION: Hex = `0x${'12'.repeat(32)}`

const HEAD = 40n
const ZERO: Hex = `0x${'00'.repeat(32)}`
const hashOf = (number: bigint): Hex => pad(numberToHex(number + 1n), { size: 32 })

const blockOf = (number: bigint, transactions: readonly unknown[]) => ({
  number: numberToHex(number),
  hash: hashOf(number),
  parentHash: hashOf(number - 1n),
  mixHash: ZERO,
  nonce: '0x0000000000000000',
  sha3Uncles: ZERO,
  logsBloom: `0x${'00'.repeat(256)}`,
  transactionsRoot: ZERO,
  stateRoot: ZERO,
  receiptsRoot: ZERO,
  miner: SENDER,
  difficulty: '0x1',
  extraData: '0x',
  size: '0x400',
  gasLimit: '0x1c9c380',
  gasUsed: '0x5208',
  timestamp: numberToHex(1_700_000_000n + number),
  transactions,
})

/** The one transaction of the chain, in its last block. */
const transactionOf = (input: Hex) => ({
  hash: TRANSACTION,
  blockNumber: numberToHex(HEAD),
  blockTimestamp: numberToHex(1_700_000_000n + HEAD),
  transactionIndex: '0x0',
  from: SENDER,
  to: TOKEN,
  value: numberToHex(2n ** 256n - 1n),
  nonce: numberToHex(2n ** 64n - 1n),
  gas: '0x5208',
  gasPrice: numberToHex(2n ** 256n - 1n),
  input,
  type: '0x2',
})

const receiptOf = (logs: readonly unknown[], revertReason: Hex | undefined) => ({
  transactionHash: TRANSACTION,
  status: revertReason === undefined ? '0x1' : '0x0',
  gasUsed: '0x5208',
  cumulativeGasUsed: '0x5208',
  effectiveGasPrice: numberToHex(2n ** 256n - 1n),
  contractAddress: null,
  logs,
  ...(revertReason === undefined ? {} : { revertReason }),
})

/** An error with a sentence, as Solidity encodes it. */
export const revertWith = (reason: string): Hex =>
  `0x08c379a0${encodeAbiParameters([{ type: 'string' }], [reason]).slice(2)}`

const TRANSFER_BATCH: Hex = '0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb'

/** One event that moves many tokens. */
export const batchOf = (count: number) => {
  const numbers = Array.from({ length: count }, (_, index) => BigInt(index))
  return {
    address: TOKEN,
    topics: [TRANSFER_BATCH, pad(SENDER, { size: 32 }), pad(SENDER, { size: 32 }), pad(TOKEN, { size: 32 })],
    data: encodeAbiParameters([{ type: 'uint256[]' }, { type: 'uint256[]' }], [numbers, numbers]),
    blockNumber: numberToHex(HEAD),
    transactionHash: TRANSACTION,
    logIndex: '0x0',
  }
}

const SELECTORS: Readonly<Record<string, Hex>> = {
  '0x06fdde03': encodeAbiParameters([{ type: 'string' }], [HOSTILE_NAME.repeat(10_000)]),
  '0x95d89b41': encodeAbiParameters([{ type: 'string' }], [HOSTILE_NAME]),
  '0x313ce567': pad(toHex(255), { size: 32 }),
  '0x18160ddd': pad(toHex(2n ** 256n - 1n), { size: 32 }),
}

export type Hostile = {
  readonly input?: Hex
  readonly logs?: readonly unknown[]
  readonly revertReason?: Hex
  readonly frame?: unknown
}

/** The results of an honest node on a chain with hostile data. */
export const hostileChain = ({ input = '0x', logs = [], revertReason, frame }: Hostile = {}): Results => {
  const transaction = transactionOf(input)
  const block = (tag: string, whole: boolean) => {
    const number = tag === 'latest' ? HEAD : BigInt(tag)
    if (number > HEAD) return null
    return blockOf(number, number === HEAD ? [whole ? transaction : TRANSACTION] : [])
  }
  return {
    eth_blockNumber: numberToHex(HEAD),
    eth_chainId: '0x539',
    web3_clientVersion: HOSTILE_NAME,
    eth_getBlockByNumber: block,
    eth_getTransactionByHash: transaction,
    eth_getTransactionReceipt: receiptOf(logs, revertReason),
    eth_getLogs: logs,
    eth_getBalance: numberToHex(2n ** 256n - 1n),
    eth_getTransactionCount: numberToHex(2n ** 64n - 1n),
    eth_getCode: `0x${'fe'.repeat(500_000)}`,
    eth_call: ({ data }: { readonly data: string }) => SELECTORS[data] ?? new Error('execution reverted'),
    ...(frame === undefined
      ? {}
      : {
          debug_traceTransaction: (_: unknown, { tracer }: { readonly tracer: string }) =>
            tracer === 'callTracer' ? frame : { pre: {}, post: {} },
        }),
  }
}

import { describe, expect, test } from 'bun:test'
import { compareBytes } from '../../../core/bytes/bytes.ts'
import { toQuantity } from '../../../core/bytes/hex.ts'
import type { Block } from '../../../core/block/block.ts'
import { encodeExtraData, decodeExtraData, type QbftExtraData } from '../../../core/block/codec/extraData.ts'
import type { Chain } from '../../../core/chain/chain.ts'
import type { Header } from '../../../core/block/header.ts'
import type { RuleName } from '../../../core/chain/rules/invalidBlock.ts'
import {
  brokenRule,
  extend,
  nextBlock,
  openTestChain,
  resealed,
  type TestGenesis,
  transfer,
} from './support/chain.ts'
import { OUTSIDER, USERS, VALIDATORS } from './support/keys.ts'

const [V0, V1, V2, V3] = VALIDATORS
const WORD = new Uint8Array(32).fill(7)

/** A chain with one block, and a second one that it would accept. */
const given = async (genesis: TestGenesis = {}): Promise<{ chain: Chain; block: Block }> => {
  const chain = await openTestChain(genesis)
  await extend(chain, [transfer(USERS[0], 0)])
  return { chain, block: await nextBlock(chain, [transfer(USERS[0], 1), transfer(USERS[1], 0)]) }
}

const withExtra = (header: Header, change: Partial<QbftExtraData>): Partial<Header> => ({
  extraData: encodeExtraData({ ...decodeExtraData(header.extraData), ...change }),
})

type Case = {
  readonly rule: RuleName
  readonly when: string
  readonly genesis?: TestGenesis
  readonly change: (header: Header, chain: Chain) => Partial<Header>
}

const CASES: readonly Case[] = [
  { rule: 'ancestry', when: 'its parent is another block', change: () => ({ parentHash: WORD }) },
  { rule: 'ancestry', when: 'its number is not the next', change: ({ number }) => ({ number: number + 1n }) },
  {
    rule: 'gas-used-limit',
    when: 'more gas is used than the limit',
    change: ({ gasLimit }) => ({ gasUsed: gasLimit + 1n }),
  },
  {
    rule: 'gas-limit-range',
    when: 'the gas limit is below 5000',
    genesis: { top: { gasLimit: '0x1388' }, config: { zeroBaseFee: true } },
    change: () => ({ gasLimit: 4_999n, gasUsed: 0n }),
  },
  {
    rule: 'gas-limit-range',
    when: 'the gas limit is above 2^63 - 1',
    genesis: { top: { gasLimit: toQuantity(2n ** 63n - 1n) } },
    change: () => ({ gasLimit: 2n ** 63n }),
  },
  {
    rule: 'gas-limit-step',
    when: 'the gas limit rises by a 1024th',
    change: ({ gasLimit }) => ({ gasLimit: gasLimit + gasLimit / 1024n }),
  },
  {
    rule: 'gas-limit-step',
    when: 'the gas limit falls by a 1024th',
    change: ({ gasLimit }) => ({ gasLimit: gasLimit - gasLimit / 1024n }),
  },
  {
    rule: 'base-fee-presence',
    when: 'it has a base fee before London',
    genesis: { fork: 'berlin' },
    change: () => ({ baseFeePerGas: 0n }),
  },
  {
    rule: 'base-fee-presence',
    when: 'it has none from London on',
    genesis: { fork: 'london' },
    change: () => ({ baseFeePerGas: undefined }),
  },
  {
    rule: 'base-fee-value',
    when: 'its base fee is not what the formula gives',
    change: ({ baseFeePerGas }) => ({ baseFeePerGas: (baseFeePerGas ?? 0n) + 1n }),
  },
  {
    rule: 'base-fee-value',
    when: 'it charges a base fee on a zeroBaseFee network',
    genesis: { config: { zeroBaseFee: true } },
    change: () => ({ baseFeePerGas: 1n }),
  },
  {
    rule: 'withdrawals-root-presence',
    when: 'it has a withdrawals root before Shanghai',
    genesis: { fork: 'london' },
    change: () => ({ withdrawalsRoot: WORD }),
  },
  {
    rule: 'withdrawals-root-presence',
    when: 'it has none from Shanghai on',
    genesis: { fork: 'shanghai' },
    change: () => ({ withdrawalsRoot: undefined }),
  },
  {
    rule: 'blob-fields-presence',
    when: 'it has blob fields before Cancun',
    genesis: { fork: 'shanghai' },
    change: () => ({ blobGasUsed: 0n, excessBlobGas: 0n }),
  },
  {
    rule: 'blob-fields-presence',
    when: 'it has no blob fields from Cancun on',
    genesis: { fork: 'cancun' },
    change: () => ({ blobGasUsed: undefined, excessBlobGas: undefined }),
  },
  { rule: 'blob-gas-limit', when: 'it uses part of a blob', change: () => ({ blobGasUsed: 1n }) },
  {
    rule: 'blob-gas-limit',
    when: 'it uses more blobs than the schedule allows',
    change: () => ({ blobGasUsed: 10n * 131_072n }),
  },
  { rule: 'excess-blob-gas', when: 'its excess is not what follows', change: () => ({ excessBlobGas: 1n }) },
  {
    rule: 'beacon-root-presence',
    when: 'it has a beacon root before Cancun',
    genesis: { fork: 'shanghai' },
    change: () => ({ parentBeaconBlockRoot: WORD }),
  },
  {
    rule: 'requests-hash-presence',
    when: 'it has a requests hash before Prague',
    genesis: { fork: 'cancun' },
    change: () => ({ parentBeaconBlockRoot: WORD, requestsHash: WORD }),
  },
  {
    rule: 'requests-hash-presence',
    when: 'it has a beacon root but no requests hash from Prague on',
    change: () => ({ requestsHash: undefined }),
  },
  { rule: 'mix-hash', when: "its mixHash is not QBFT's", change: () => ({ mixHash: WORD }) },
  { rule: 'difficulty', when: 'its difficulty is not 1', change: () => ({ difficulty: 2n }) },
  {
    rule: 'validators',
    when: 'its validators are not ascending',
    change: header => withExtra(header, { validators: [V1, V0, V2, V3].map(({ address }) => address) }),
  },
  {
    rule: 'validators',
    when: 'a validator is missing',
    change: header => withExtra(header, { validators: [V0, V1, V2].map(({ address }) => address) }),
  },
  {
    rule: 'validators',
    when: 'somebody is listed who is none',
    change: header =>
      withExtra(header, {
        validators: [...VALIDATORS, OUTSIDER].map(({ address }) => address).toSorted(compareBytes),
      }),
  },
  {
    rule: 'coinbase-validator',
    when: 'it was made by somebody who is no validator',
    change: () => ({ coinbase: OUTSIDER.address }),
  },
  {
    rule: 'timestamp-spacing',
    when: 'it comes before the period has passed',
    change: ({ timestamp }) => ({ timestamp: timestamp - 1n }),
  },
  {
    rule: 'gas-used',
    when: 'it says another gas than is used',
    change: ({ gasUsed }) => ({ gasUsed: gasUsed - 1n }),
  },
  {
    rule: 'blob-gas-used',
    when: 'it says blobs that are not there',
    change: () => ({ blobGasUsed: 131_072n }),
  },
  { rule: 'receipts-root', when: 'its receipts are others', change: () => ({ receiptsRoot: WORD }) },
  {
    rule: 'logs-bloom',
    when: 'its bloom has a bit more',
    change: () => ({ logsBloom: new Uint8Array(256).fill(1, 0, 1) }),
  },
  {
    rule: 'requests-hash',
    when: 'it says requests that nobody made',
    change: () => ({ parentBeaconBlockRoot: WORD, requestsHash: WORD }),
  },
  { rule: 'state-root', when: 'its state is another', change: () => ({ stateRoot: WORD }) },
  { rule: 'transactions-root', when: 'its body is another', change: () => ({ transactionsRoot: WORD }) },
  { rule: 'ommers-hash', when: 'it says ommers that are not there', change: () => ({ ommersHash: WORD }) },
  { rule: 'withdrawals-root', when: 'its withdrawals are others', change: () => ({ withdrawalsRoot: WORD }) },
]

describe('given a sealed QBFT block with one fault', () => {
  test.each(CASES.map(each => [each.rule, each.when, each] as const))(
    'when %s is broken because %s, then that rule is named',
    async (rule, _, { genesis, change }) => {
      const { chain, block } = await given(genesis)
      const head = chain.head()
      const broken = resealed(block, change(block.header, chain))
      expect(await brokenRule(chain, broken)).toBe(rule)
      expect(chain.head()).toEqual(head)
      expect(await brokenRule(chain, block)).toBeUndefined()
    },
  )
})

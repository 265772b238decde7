import { type Address, padStartBytes } from '../../../core/bytes/bytes.ts'
import { bigintToBytes } from '../../../core/bytes/integer.ts'
import type { Block } from '../../../core/block/block.ts'
import { proposalHeader } from '../../../core/chain/building/building.ts'
import type { Vote } from '../../../core/block/codec/extraData.ts'
import { transactionOf } from '../../../core/block/codec/transaction.ts'
import { transactionsRootOf } from '../../../core/chain/rules/body.ts'
import type { Transaction } from '../../../core/block/transaction.ts'
import { EMPTY_TRIE_ROOT } from '../../../core/crypto/constants.ts'
import { rulesAt } from '../../../core/genesis/forkSchedule.ts'
import { qbftAt } from '../../../core/genesis/qbftSchedule.ts'
import type { SimulatedGenesis } from './genesis.ts'
import type { SimulatedChain } from './chain.ts'
import { BARE_FIELDS } from '../../support/chains/bareFields.ts'

export type Making = {
  readonly coinbase: Address
  readonly round: number
  /** Seconds. */
  readonly timestamp: bigint
  readonly vote: Vote | undefined
  readonly transactions: readonly Transaction[]
  /** Makes blocks of one moment differ. */
  readonly vanity: Uint8Array
}

const NO_CANDIDATES = { next: () => undefined, skip: () => undefined }

/** The block after the head, as the product makes its header. */
export const makeBlock = (genesis: SimulatedGenesis, chain: SimulatedChain, making: Making): Block => {
  const { configuration, consensus } = genesis
  const parent = chain.head()
  const number = parent.header.number + 1n
  const header = proposalHeader({
    configuration,
    rules: rulesAt(configuration, number, making.timestamp),
    parameters: qbftAt(consensus, number, making.timestamp),
    parent,
    parentRules: rulesAt(configuration, parent.header.number, parent.header.timestamp),
    genesisBaseFeePerGas: undefined,
    validators: chain.validators(number),
    options: {
      ...making,
      targetGasLimit: undefined,
      minGasPrice: 0n,
      candidates: NO_CANDIDATES,
      full: () => true,
    },
  })
  return {
    header: {
      ...header,
      stateRoot: EMPTY_TRIE_ROOT,
      transactionsRoot: transactionsRootOf(making.transactions),
    },
    transactions: making.transactions,
    ommers: [],
    withdrawals: undefined,
  }
}

/** One that differs from all others by its number; nobody looks at its signature. */
export const makeTransaction = (number: bigint): Transaction =>
  transactionOf({
    type: 0,
    chainId: undefined,
    nonce: number,
    maxPriorityFeePerGas: 0n,
    maxFeePerGas: 0n,
    gasLimit: 21_000n,
    to: padStartBytes(bigintToBytes(number), 20),
    value: 1n,
    data: new Uint8Array(0),
    ...BARE_FIELDS,
    yParity: 0,
    r: 1n,
    s: 1n,
  })

import { EMPTY_BYTES } from '../bytes/bytes.ts'
import { nextBaseFee } from '../chain/fees/baseFee.ts'
import type { Chain } from '../chain/chain.ts'
import { rulesAt } from '../genesis/schedule.ts'
import type { PoolHead } from './pool.ts'

/** What this node's blocks ask for, wei per gas. `minGasPrice` is the base fee of `fixedBaseFee` networks. */
export type PriceFloor = Pick<PoolHead, 'minGasPrice' | 'minPriorityFee'>

/**
 * What the pool asks of the chain's present head; to be made again for each head.
 * @param timestamp seconds since 1970 that the next block will have at least: which fork judges follows from it.
 */
export const poolHeadOf = (
  chain: Chain,
  timestamp: bigint,
  { minGasPrice, minPriorityFee }: PriceFloor,
): PoolHead => {
  const { configuration, store } = chain
  const parent = chain.head().header
  const nextTimestamp = timestamp > parent.timestamp ? timestamp : parent.timestamp + 1n
  const rules = rulesAt(configuration, parent.number + 1n, nextTimestamp, parent.difficulty)
  const state = store.stateAt(parent.number)
  return {
    rules,
    blockGasLimit: parent.gasLimit,
    takesBlobs: configuration.consensus.kind !== 'qbft',
    nextBaseFeePerGas: nextBaseFee({
      configuration,
      rules,
      parent,
      parentRules: rulesAt(configuration, parent.number, parent.timestamp, parent.difficulty),
      genesisBaseFeePerGas: chain.genesis.header.baseFeePerGas,
      minGasPrice,
    }),
    minGasPrice,
    minPriorityFee,
    nonce: sender => state.account(sender)?.nonce ?? 0n,
    balance: sender => state.account(sender)?.balance ?? 0n,
    code: sender => {
      const account = state.account(sender)
      return account === undefined ? EMPTY_BYTES : state.code(account.codeHash)
    },
  }
}

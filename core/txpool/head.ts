import { type Address, EMPTY_BYTES, equalBytes } from '../bytes/bytes.ts'
import { nextBaseFeeOn } from '../chain/fees/baseFee.ts'
import type { Chain, ChosenHeaderValues } from '../chain/chain.ts'
import { EMPTY_CODE_HASH } from '../crypto/constants.ts'
import { rulesAt } from '../genesis/forkSchedule.ts'
import type { StateReader } from '../state/account.ts'
import type { PoolAccount, PoolHead } from './pool.ts'

/** Minimum prices of this node's blocks, wei per gas. `minGasPrice` is the base fee of `fixedBaseFee` networks. */
export type PriceFloor = Pick<PoolHead, 'minGasPrice' | 'minPriorityFee'> & {
  /** Values that a user has chosen for the next block. */
  readonly chosen?: ChosenHeaderValues | undefined
}

const NO_ACCOUNT: PoolAccount = { nonce: 0n, balance: 0n, hasCode: false }

const accountOf = (state: StateReader, address: Address): PoolAccount => {
  const account = state.account(address)
  if (account === undefined) return NO_ACCOUNT
  const { nonce, balance, codeHash } = account
  return { nonce, balance, hasCode: !equalBytes(codeHash, EMPTY_CODE_HASH) }
}

/**
 * The data of the chain's current head that the pool uses; valid only while it is the head.
 * @param timestamp minimum timestamp of the next block, seconds since 1970, which determines its fork
 */
export const poolHeadOf = (
  chain: Chain,
  timestamp: bigint,
  { minGasPrice, minPriorityFee, chosen }: PriceFloor,
): PoolHead => {
  const { configuration, store } = chain
  const parent = chain.head().header
  const nextTimestamp = timestamp > parent.timestamp ? timestamp : parent.timestamp + 1n
  const rules = rulesAt(configuration, parent.number + 1n, nextTimestamp, parent.difficulty)
  const state = store.stateAt(parent.number)
  return {
    rules,
    blockGasLimit: chosen?.gasLimit ?? parent.gasLimit,
    acceptsBlobs: configuration.consensus.kind !== 'qbft',
    nextBaseFeePerGas: chosen?.baseFeePerGas ?? nextBaseFeeOn(chain, rules, parent, minGasPrice),
    minGasPrice,
    minPriorityFee,
    account: sender => accountOf(state, sender),
    code: sender => {
      const account = state.account(sender)
      return account === undefined ? EMPTY_BYTES : state.code(account.codeHash)
    },
  }
}

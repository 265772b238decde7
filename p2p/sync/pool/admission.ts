import type { RecoveredTransaction } from '../../../core/block/transaction.ts'
import type { Chain } from '../../../core/chain/chain.ts'
import type { PoolAccount, PoolHead, TransactionPool } from '../../../core/txpool/pool.ts'
import { type RejectionCode, TransactionRejected } from '../../../core/txpool/rejection.ts'
import type { ValidationResult } from './messageValidation.ts'

/** Rejections that are final: the transaction need not be validated again. Others depend on the state of the moment. */
const FINAL_REJECTIONS: ReadonlySet<RejectionCode> = new Set<RejectionCode>([
  'ALREADY_KNOWN',
  'NONCE_TOO_LOW',
  'INVALID_TYPE',
  'WRONG_CHAIN_ID',
  'INVALID_SIGNATURE',
  'TOO_LARGE',
  'NONCE_OVERFLOW',
  'UPFRONT_COST_OVERFLOW',
  'INTRINSIC_GAS',
  'PRIORITY_FEE_ABOVE_MAX_FEE',
])

/** Whether the pool added a transaction of a peer. */
export type Admission = {
  readonly rejection: RejectionCode | undefined
  /** False if a later attempt may succeed. */
  readonly isFinal: boolean
  readonly result: ValidationResult
  /** True for a sender with a nonce or a balance in the state. */
  readonly isKnown: boolean
}

export type AdmissionOptions = {
  readonly chain: Chain
  readonly pool: TransactionPool
  /** The state that the pool validates by, for the block after the current head. */
  readonly poolHead: () => PoolHead
  /** Milliseconds since 1970. */
  readonly nowMs: () => number
}

const resultOf = (code: RejectionCode, isKnown: boolean): ValidationResult => {
  if (code === 'ALREADY_KNOWN' || code === 'NONCE_TOO_LOW') return 'known'
  if (FINAL_REJECTIONS.has(code)) return 'worthless'
  return isKnown ? 'useful' : 'worthless'
}

const isInState = ({ nonce, balance }: PoolAccount): boolean => nonce > 0n || balance > 0n

/** Adds a transaction of a peer to the pool if its rules allow. */
export const admit = (options: AdmissionOptions, received: RecoveredTransaction): Promise<Admission> =>
  options.chain.store.run(() => {
    const head = options.poolHead()
    try {
      const account = options.pool.add(received, head, { local: false, addedAtMs: options.nowMs() })
      return { rejection: undefined, isFinal: true, result: 'useful', isKnown: isInState(account) }
    } catch (error) {
      if (!(error instanceof TransactionRejected)) throw error
      const { code } = error
      const isKnown = isInState(head.account(received.sender))
      return {
        rejection: code,
        isFinal: FINAL_REJECTIONS.has(code),
        result: resultOf(code, isKnown),
        isKnown,
      }
    }
  })

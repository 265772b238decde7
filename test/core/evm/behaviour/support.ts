import { rulesOf } from '../harness.ts'
import type { Address } from '../../../../core/bytes/bytes.ts'
import { EMPTY_BYTES } from '../../../../core/bytes/bytes.ts'
import { bytesToBigint } from '../../../../core/bytes/integer.ts'
import { signTransaction } from '../../../../core/block/codec/signature.ts'
import type { UnsignedTransaction } from '../../../../core/block/codec/transactionItem.ts'
import { addressOfPrivateKey } from '../../../../core/crypto/crypto.ts'
import type { BlockEnvironment } from '../../../../core/evm/transaction/environment.ts'
import { executeTransaction } from '../../../../core/evm/transaction/execute.ts'
import type { TransactionResult } from '../../../../core/evm/transaction/result.ts'
import type { ForkName } from '../../../../core/genesis/fork.ts'
import { forkIsAtLeast } from '../../../../core/genesis/fork.ts'
import type { StateChanges } from '../../../../core/state/account.ts'
import type { WorldState } from '../../../../core/state/world.ts'
import { createWorldState } from '../../../../core/state/worldState.ts'
import { assemble } from './assembler.ts'
import { address, createMemoryState, type FirstAccount, type MemoryState, word } from './memoryState.ts'
import { BARE_FIELDS } from '../../../support/chains/bareFields.ts'

export { assemble, deploying, inMemory, RETURN_TOP } from './assembler.ts'
export { address, word } from './memoryState.ts'

const KEY = word(0x5e4de7)
export const SENDER = addressOfPrivateKey(KEY)
export const CONTRACT = address(0xc0de)
export const BENEFICIARY = address(0xfee)
export const CHAIN_ID = 1337n
export const BASE_FEE = 7n
export const GAS_PRICE = 10n
export const FIRST_BALANCE = 10n ** 24n

/** What a transaction without data to a contract pays before anything runs. */
export const TRANSACTION_GAS = 21_000n

const environmentAt = (fork: ForkName, number: bigint): BlockEnvironment => ({
  rules: rulesOf(fork),
  number,
  timestamp: 1_700_000_000n + number,
  beneficiary: BENEFICIARY,
  gasLimit: 2n ** 60n,
  difficulty: 131_072n,
  prevRandao: word(0x5eed),
  baseFeePerGas: forkIsAtLeast(fork, 'london') ? BASE_FEE : undefined,
  blobBaseFee: forkIsAtLeast(fork, 'cancun') ? 3n : undefined,
  blockHash: () => undefined,
})

/** Blocks of signed transactions over a state in memory, all of one fork and one sender. */
export type Chain = {
  readonly fork: ForkName
  readonly state: MemoryState
  /** The state within the block that is being filled. */
  readonly world: () => WorldState
  /** Executes the sender's next transaction: a legacy one to CONTRACT, unless told otherwise. */
  readonly send: (changes?: Partial<UnsignedTransaction>) => TransactionResult
  /** Ends the block: what it did goes into the state, and the next one begins. */
  readonly seal: () => StateChanges
}

export const createChain = (
  fork: ForkName,
  accounts: readonly (readonly [Address, FirstAccount])[],
): Chain => {
  const state = createMemoryState([[SENDER, { balance: FIRST_BALANCE }], ...accounts])
  let number = 100n
  let world = createWorldState(state.reader)
  const send = (changes: Partial<UnsignedTransaction> = {}): TransactionResult => {
    const environment = environmentAt(fork, number)
    const transaction = signTransaction(
      {
        type: 0,
        chainId: forkIsAtLeast(fork, 'spuriousDragon') ? CHAIN_ID : undefined,
        nonce: world.nonce(SENDER),
        maxFeePerGas: GAS_PRICE,
        maxPriorityFeePerGas: GAS_PRICE,
        gasLimit: 10_000_000n,
        to: CONTRACT,
        value: 0n,
        data: EMPTY_BYTES,
        ...BARE_FIELDS,
        ...changes,
      },
      KEY,
    )
    return executeTransaction(environment, world, { transaction, sender: SENDER }, environment.gasLimit)
  }
  const seal = (): StateChanges => {
    const changes = world.changes(number)
    state.apply(changes)
    number++
    world = createWorldState(state.reader)
    return changes
  }
  return { fork, state, world: () => world, send, seal }
}

export type Outcome = TransactionResult & {
  readonly chain: Chain
  /** The first word of the output. */
  readonly value: bigint
  /** Gas that the code itself used, refunds not yet taken off. */
  readonly gas: bigint
  readonly refund: bigint
}

export type RunOptions = {
  readonly fork?: ForkName
  readonly contract?: FirstAccount
  readonly others?: readonly (readonly [Address, FirstAccount])[]
  readonly transaction?: Partial<UnsignedTransaction>
}

/** Sends one transaction to a contract with the code given, as text or bytes. */
export const run = (code: string | Uint8Array, options: RunOptions = {}): Outcome => {
  const { fork = 'osaka', contract = {}, others = [], transaction = {} } = options
  const bytes = typeof code === 'string' ? assemble(code) : code
  const chain = createChain(fork, [[CONTRACT, { ...contract, code: bytes }], ...others])
  const result = chain.send(transaction)
  return {
    ...result,
    chain,
    value: bytesToBigint(result.output.subarray(0, 32)),
    gas: result.gasUsedMax - TRANSACTION_GAS,
    refund: result.gasUsedMax - result.gasUsed,
  }
}

/** Why it failed, undefined when it did not. */
export const reasonOf = ({ failure }: Pick<TransactionResult, 'failure'>): string | undefined =>
  failure?.kind === 'halt' ? failure.reason : failure?.kind

/** The slot of an account as a number. */
export const slotOf = (world: WorldState, at: Address, slot: bigint | number): bigint =>
  bytesToBigint(world.storage(at, word(slot)))

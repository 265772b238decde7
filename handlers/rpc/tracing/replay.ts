import type { Address, Hash } from '../../../core/bytes/bytes.ts'
import type { Block } from '../../../core/block/block.ts'
import { callBeforeTransactions, requestContractsOf } from '../../../core/chain/execution/systemContracts.ts'
import type { Transaction } from '../../../core/block/transaction.ts'
import { runSteps } from '../../../core/steps.ts'
import { executeTransaction } from '../../../core/evm/transaction/execute.ts'
import { rulesAt } from '../../../core/genesis/forkSchedule.ts'
import type { RpcContext } from '../context.ts'
import type { Budget } from './budget.ts'
import { openSession, type Session } from './session.ts'
import type { TracerKind } from './traced.ts'

/** A block to execute again: a block of the chain, or another one whose parent is in the chain. */
export type ReplayedBlock = {
  readonly block: Block
  readonly hash: Hash
  /** Sender of each transaction, in order. */
  readonly senders: readonly Address[]
}

const begin = async (context: RpcContext, { block }: ReplayedBlock): Promise<Session> => {
  const { configuration } = context.chain
  const { header } = block
  const rules = rulesAt(configuration, header.number, header.timestamp, header.difficulty)
  const session = await openSession(context, { stateNumber: header.number - 1n, header, rules })
  const { environment, world } = session
  if (requestContractsOf(configuration) !== undefined)
    await session.step(() => runSteps(callBeforeTransactions(environment, world, header)))
  return session
}

/** Receives each trace as soon as it is complete, before anything else runs. */
type TakeTrace = (trace: unknown, transaction: Transaction) => void

/**
 * Executes a block again on the state before it, with its system calls, and passes the trace of each transaction to `take`.
 * With `only`, traces only the transaction at this index and stops after it. Pauses between transactions.
 * @throws RpcError if the answer is too large or takes too long; InvalidTransaction for an invalid block
 */
export const replayBlock = async (
  context: RpcContext,
  replayed: ReplayedBlock,
  kind: TracerKind,
  budget: Budget,
  only?: number,
  take?: TakeTrace,
): Promise<void> => {
  const { block, hash, senders } = replayed
  const { header, transactions } = block
  const yieldTurn = context.scheduler.createYield()
  const session = await begin(context, replayed)
  const { environment, world } = session
  const last = only ?? transactions.length - 1
  let gasAvailable = header.gasLimit
  for (let index = 0; index <= last; index++) {
    await yieldTurn()
    budget.checkTime()
    const transaction = transactions[index] as Transaction
    const sender = senders[index] as Address
    const isTraced = only === undefined || index === only
    const used = budget.used()
    const { gasUsed, trace } = await session.step(() => {
      budget.rewind(used)
      const { to, gasLimit, authorizationList } = transaction
      const place = { blockHash: hash, blockNumber: header.number, transactionHash: transaction.hash, index }
      const tracer = isTraced
        ? kind({ world, environment, from: sender, to, gasLimit, authorizationList, place }, budget)
        : undefined
      const result = executeTransaction(
        environment,
        world,
        { transaction, sender },
        gasAvailable,
        tracer?.hooks,
      )
      return { gasUsed: result.gasUsed, trace: tracer?.finish(result) }
    })
    gasAvailable -= gasUsed
    if (isTraced) take?.(trace, transaction)
  }
}

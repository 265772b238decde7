import type { Block } from '../../../core/block/block.ts'
import type { Address } from '../../../core/bytes/bytes.ts'
import { rememberSealSigners } from '../../../core/chain/rules/seals.ts'
import type { RecoverBlocks } from '../../../p2p/sync/chain/prefetch.ts'
import { createYield } from '../../scheduler.ts'
import { sealRecoveriesOf } from './recoverSeals.ts'
import { type KnownSender, recoveryOf, type SendersOfLists } from './recoverSenders.ts'
import type { LaterSigners, RecoveryPool } from './recoveryPool.ts'
import type { Recovery } from './signatureBuffers.ts'

/** Signatures prepared between two checks of the time slice: a third of a millisecond. */
const SLICE_SIGNATURES = 32

type Prepared = {
  readonly block: Block
  /** Number of its seals; undefined where these are left to validation. */
  readonly seals: number | undefined
  /** Of each transaction whose sender is known. */
  readonly senders: readonly (Address | undefined)[]
}

/** The signatures of the blocks: of each first those of its seals, then those of transactions whose sender is not known. */
const prepare = async (
  blocks: readonly Block[],
  knownSender: KnownSender,
): Promise<{ readonly prepared: readonly Prepared[]; readonly recoveries: readonly Recovery[] }> => {
  const yieldTurn = createYield()
  const prepared: Prepared[] = []
  const recoveries: Recovery[] = []
  for (const block of blocks) {
    await yieldTurn()
    const seals = sealRecoveriesOf(block.header)
    recoveries.push(...(seals ?? []))
    const senders: (Address | undefined)[] = []
    for (const transaction of block.transactions) {
      if (senders.length % SLICE_SIGNATURES === SLICE_SIGNATURES - 1) await yieldTurn()
      const sender = knownSender(transaction.hash)
      senders.push(sender)
      if (sender === undefined) recoveries.push(recoveryOf(transaction))
    }
    prepared.push({ block, seals: seals?.length, senders })
  }
  return { prepared, recoveries }
}

/** Stores what was recovered where the rules of blocks look for it. */
const remember = (
  prepared: readonly Prepared[],
  signers: readonly (Address | undefined)[],
  lists: SendersOfLists,
): void => {
  let at = 0
  for (const { block, seals, senders } of prepared) {
    if (seals !== undefined) rememberSealSigners(block.header, signers.slice(at, (at += seals)))
    const all = senders.map(sender => sender ?? signers[at++])
    lists.set(block.transactions, Promise.resolve(all))
  }
}

/** Recovers the signers of seals and transactions of downloaded blocks as one batch, on the threads of the pool. */
export const createRecoverBlocks =
  (
    pool: Pick<RecoveryPool, 'recoverLater'>,
    knownSender: KnownSender,
    lists: SendersOfLists,
  ): RecoverBlocks =>
  blocks => {
    let isHurried = false
    let begun: LaterSigners | undefined
    const recover = async (): Promise<void> => {
      const { prepared, recoveries } = await prepare(blocks, knownSender)
      begun = pool.recoverLater(recoveries)
      if (isHurried) begun.hurry()
      remember(prepared, await begun.signers, lists)
    }
    return {
      done: recover(),
      hurry: () => {
        isHurried = true
        begun?.hurry()
      },
    }
  }

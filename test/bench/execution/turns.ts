import type { Block } from '../../../core/block/block.ts'
import { sealOfSignature } from '../../../core/block/codec/seal.ts'
import { openChain } from '../../../core/chain/opening/openChain.ts'
import type { RecoveredTransaction } from '../../../core/block/transaction.ts'
import { keccak256, sign } from '../../../core/crypto/crypto.ts'
import { parseGenesis } from '../../../core/genesis/parse/parse.ts'
import { decodeMessageSteps, openMessage } from '../../../core/qbft/codec/message.ts'
import { encodeProposal, encodeProposalPayloadSteps } from '../../../core/qbft/codec/proposal.ts'
import { runSteps } from '../../../core/steps.ts'
import { QBFT_CODES } from '../../../core/qbft/message.ts'
import { authorOf } from '../../../core/qbft/signatures.ts'
import { signPayload } from '../../support/signPayload.ts'
import { openChainStore } from '../../../core/store/chainStore.ts'
import { POOL_OPTIONS } from '../../../core/txpool/admission.ts'
import { createTransactionPool } from '../../../core/txpool/transactionPool.ts'
import { openStorage } from '../../../runtime/drivers/open.ts'
import { logOf } from '../../../runtime/logging/log.ts'
import { startPoolFollower } from '../../../runtime/node/pool/poolFollower.ts'
import { createRecoverSenders } from '../../../runtime/threads/recovery/recoverSenders.ts'
import { createPoolHead } from '../../../runtime/node/pool/submit.ts'
import { createRecoveryPool } from '../../../runtime/threads/recovery/recoveryPool.ts'
import { createYield } from '../../../runtime/scheduler.ts'
import { withFolder } from '../../runtime/folder.ts'
import { ownBlocks } from '../engines/ownBlocks.ts'
import { benchGenesis, VALIDATOR_KEY } from '../genesis.ts'
import { type BenchOptions, median, type Row } from '../measure.ts'
import { createAlloc, createBlocks, createSenders, TRANSACTIONS_PER_BLOCK } from '../workload.ts'

const PROPOSAL = QBFT_CODES.proposal

/** Milliseconds of the longest time in which nothing else had its turn while `run` was under way. */
const longestHoldMs = async (run: () => unknown): Promise<number> => {
  let longest = 0
  let last = performance.now()
  let isRunning = true
  const note = (): void => {
    const now = performance.now()
    longest = Math.max(longest, now - last)
    last = now
  }
  const turn = (): void => {
    note()
    if (isRunning) setImmediate(turn)
  }
  await new Promise(resolve => setImmediate(resolve))
  last = performance.now()
  setImmediate(turn)
  await run()
  note()
  isRunning = false
  return longest
}

const proposalOf = (block: Block): Uint8Array => {
  const payload = { sequence: block.header.number, round: 0, block }
  const signed = signPayload(
    PROPOSAL,
    payload,
    runSteps(encodeProposalPayloadSteps(payload, 'legacy')),
    digest => sealOfSignature(sign(digest, VALIDATOR_KEY)),
  )
  return encodeProposal({ kind: 'proposal', signed, roundChanges: [], prepares: [] })
}

/** A validator's work on the blocks of another, without the network: what each step holds up at most. */
const openFollower = async (folder: string, genesisJson: object) => {
  const storage = await openStorage('sqlite', folder)
  const store = await openChainStore(storage)
  const recovery = createRecoveryPool()
  const recoverSenders = createRecoverSenders(recovery, () => undefined)
  const chain = await openChain({
    genesis: parseGenesis(genesisJson),
    store,
    recoverSenders,
    pause: createYield(),
    onError: error => {
      throw error
    },
  })
  const limits = { ...POOL_OPTIONS.limits, transactionsMax: 100_000 }
  const pool = createTransactionPool({ ...POOL_OPTIONS, limits })
  const poolHead = createPoolHead(chain, () => ({ minGasPrice: 0n, minPriorityFee: 0n }))
  const follower = startPoolFollower({ chain, pool, poolHead, log: logOf('bench') })
  return {
    /** By step. */
    take: async (block: Block, sent: readonly RecoveredTransaction[]): Promise<Record<string, number>> => {
      for (const one of sent) await store.run(() => pool.add(one, poolHead()))
      const message = proposalOf(block)
      const steps: Record<string, number> = {}
      let received: Block | undefined
      steps['proposal read'] = await longestHoldMs(async () => {
        const pause = createYield()
        // As the machine does: what it knows a message by, and who signed it, before the block is read.
        keccak256(message)
        if (authorOf(PROPOSAL, openMessage(PROPOSAL, message).signed) === undefined)
          throw new Error('no proposal')
        const reading = decodeMessageSteps(PROPOSAL, message)
        let step = reading.next()
        for (; step.done !== true; step = reading.next()) await pause()
        if (step.value.kind === 'proposal') received = step.value.signed.payload.block
      })
      const body = received as Block
      steps['senders recovered'] = await longestHoldMs(() => recoverSenders(body.transactions))
      let verified: Awaited<ReturnType<typeof chain.verifyBlock>> | undefined
      steps['verified'] = await longestHoldMs(async () => {
        verified = await chain.verifyBlock(body, { nowMs: Date.now() })
      })
      steps['committed'] = await longestHoldMs(async () => {
        if (verified !== undefined) await chain.commitBuilt(verified, body.header)
        await follower.settled()
      })
      steps['views brought up to date'] = await longestHoldMs(() => store.flush())
      return steps
    },
    close: async () => {
      await follower.stop()
      await recovery.close()
      await store.close()
    },
  }
}

const text = (values: readonly number[]): string =>
  `${median(values).toFixed(1)} / ${Math.max(...values).toFixed(1)}`

/** Blocks of so many transactions, signed as they are needed: all at once they would be most of what the collector goes through. */
function* signedBlocks(size: number, count: number): Generator<readonly RecoveredTransaction[]> {
  const senders = createSenders()
  const each = size / TRANSACTIONS_PER_BLOCK
  for (let index = 0; index < count; index++)
    yield createBlocks('transfers', senders, each, { firstNonce: index * each }).flat()
}

const benchSize = async (
  size: number,
  genesisJson: object,
  [warmups, count]: readonly [warmups: number, count: number],
): Promise<Row> =>
  withFolder(folder =>
    withFolder(async other => {
      const proposer = await ownBlocks(folder, genesisJson)
      const follower = await openFollower(other, genesisJson)
      const taken: Record<string, number>[] = []
      try {
        for (const sent of signedBlocks(size, warmups + count)) {
          const { block } = await proposer.run(sent)
          taken.push(await follower.take(block, sent))
        }
      } finally {
        await proposer.close()
        await follower.close()
      }
      const counted = taken.slice(warmups)
      const steps = Object.keys(counted[0] ?? {})
      return {
        name: `${size.toLocaleString('en')} transfers`,
        values: Object.fromEntries(
          steps.map(step => [step, text(counted.map(times => times[step] ?? Number.NaN))]),
        ),
      }
    }),
  )

/** How long each step of a validator's work on a block holds the event loop, at a time. */
export const benchTurns = async ({ quick, row }: BenchOptions): Promise<void> => {
  const genesisJson = benchGenesis(await createAlloc(createSenders()))
  for (const size of [TRANSACTIONS_PER_BLOCK, 4 * TRANSACTIONS_PER_BLOCK])
    await row(`${size.toLocaleString('en')} transfers`, () =>
      benchSize(size, genesisJson, quick ? [3, 5] : [15, 15]),
    )
}

import { toHex } from '../../core/bytes/hex.ts'
import { signTransaction } from '../../core/block/codec/signature.ts'
import { DEVELOPMENT_ACCOUNTS } from '../../core/genesis/development/accounts.ts'
import type { Cluster } from '../cluster/support/cluster.ts'
import { BARE_FIELDS } from '../support/chains/bareFields.ts'

const CHAIN_ID = 4242n
const SEND_INTERVAL_MS = 500
/** A node that is further behind catches up: it judges by an old state, and is not asked. */
const LEVEL_BLOCKS = 3
/** An answer with an error; without an answer the node is not there. */
const REFUSAL = /^eth_sendRawTransaction: -/
export const KNOWN = /Known transaction|Nonce too low/i

export type Transfers = {
  readonly sent: number
  readonly refused: number
  readonly mined: number
  /** Blocks until the slowest was mined: those that still wait count until the last block. */
  readonly slowestBlocks: number
}

type State = {
  attempts: number
  sent: number
  refused: number
  mined: number
  slowestBlocks: number
  /** The highest head when each was accepted. */
  readonly waiting: Map<string, number>
  nonce: number
  /** The highest head that was seen. */
  highest: number
  isRunning: boolean
}

/** The account of the watch; attacks send from others. */
const WATCH_ACCOUNT = 9

/** A transfer that any node must take: of a funded account, at 10 gwei. */
export const encodedTransfer = (nonce: number, accountIndex = WATCH_ACCOUNT): string => {
  const account = DEVELOPMENT_ACCOUNTS[accountIndex]
  const recipient = DEVELOPMENT_ACCOUNTS[8]
  if (account === undefined || recipient === undefined) throw new Error('there are ten development accounts')
  const transaction = signTransaction(
    {
      type: 2,
      chainId: CHAIN_ID,
      nonce: BigInt(nonce),
      maxPriorityFeePerGas: 10n ** 9n,
      maxFeePerGas: 10n ** 10n,
      gasLimit: 21_000n,
      to: recipient.address,
      value: 1n,
      data: new Uint8Array(0),
      ...BARE_FIELDS,
    },
    account.privateKey,
  )
  return toHex(transaction.encoded)
}

/** A node that stands still has no head for this long. */
const HEAD_MS_MAX = 1_000

/** Notes the highest head: the node that is asked may be a block behind the others. */
const noteHeads = async (cluster: Cluster, state: State): Promise<void> => {
  const noteHead = async (index: number): Promise<void> => {
    // A node that is killed meanwhile has no head.
    state.highest = Math.max(state.highest, await cluster.head(index).catch(() => 0))
  }
  await Promise.race([Promise.all(cluster.running().map(noteHead)), Bun.sleep(HEAD_MS_MAX)])
}

const send = async (cluster: Cluster, state: State): Promise<void> => {
  const running = cluster.running()
  const index = running[state.attempts % running.length]
  if (index === undefined) return
  const head = await cluster.head(index)
  state.attempts++
  state.highest = Math.max(state.highest, head)
  if (head + LEVEL_BLOCKS < state.highest) return
  const encoded = encodedTransfer(state.nonce)
  const heads = noteHeads(cluster, state)
  try {
    const hash = await cluster.node(index).rpc<string>('eth_sendRawTransaction', encoded)
    // From when the node has taken it: on a busy machine a block may come between the request and its answer.
    state.highest = Math.max(state.highest, await cluster.head(index))
    await heads
    state.waiting.set(hash, state.highest)
    state.nonce++
    state.sent++
  } catch (error) {
    if (!(error instanceof Error) || !REFUSAL.test(error.message)) return
    // A node that was killed had passed it on before it answered.
    if (KNOWN.test(error.message)) state.nonce++
    else state.refused++
  }
}

const collect = async (cluster: Cluster, state: State): Promise<void> => {
  const [index] = cluster.running()
  if (index === undefined) return
  for (const [hash, sentAt] of state.waiting) {
    const receipt = await cluster
      .node(index)
      .rpc<{ readonly blockNumber: string } | null>('eth_getTransactionReceipt', hash)
    if (receipt === null) continue
    state.waiting.delete(hash)
    state.mined++
    state.slowestBlocks = Math.max(state.slowestBlocks, Number(receipt.blockNumber) - sentAt)
  }
}

/** Sends a transfer of a funded account every half second, to one node after the other, until it is stopped. */
export const startTransfers = (cluster: Cluster) => {
  const state: State = {
    attempts: 0,
    sent: 0,
    refused: 0,
    mined: 0,
    slowestBlocks: 0,
    waiting: new Map(),
    nonce: 0,
    highest: 0,
    isRunning: true,
  }
  const run = async (): Promise<void> => {
    while (state.isRunning) {
      // A node that is killed in the middle of a request is part of some attacks.
      await send(cluster, state).catch(() => undefined)
      await collect(cluster, state).catch(() => undefined)
      await Bun.sleep(SEND_INTERVAL_MS)
    }
  }
  const running = run()
  /** Waits for what was sent, for some blocks at most. */
  const stop = async (graceMs: number): Promise<Transfers> => {
    state.isRunning = false
    await running
    const endMs = Date.now() + graceMs
    while (state.waiting.size > 0 && Date.now() < endMs) {
      await collect(cluster, state).catch(() => undefined)
      await Bun.sleep(100)
    }
    const [index] = cluster.running()
    const head = index === undefined ? 0 : await cluster.head(index)
    for (const sentAt of state.waiting.values())
      state.slowestBlocks = Math.max(state.slowestBlocks, head - sentAt)
    const { sent, refused, mined, slowestBlocks } = state
    return { sent, refused, mined, slowestBlocks }
  }
  return { stop }
}

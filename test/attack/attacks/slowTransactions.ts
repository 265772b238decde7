import {
  FREE_GAS,
  FREE_GAS_PRAGUE,
  freshKey,
  longAuthorizationList,
  SLOW_CODE,
  slowCreation,
} from '../../cluster/support/slowTransactions.ts'
import type { Attack, AttackContext } from '../attack.ts'

/** The fifth node is no validator: what its RPC takes reaches the validators from a peer. */
const PEER = 5
const NETWORK = { ...FREE_GAS, nodes: 5 } as const
/** A validator whose threads are busy hears of a transfer a block later. */
const LIMITS = { transferBlocks: 3 }

/** Two attempts of each of four validators, and what comes between. */
const ATTACK_MS = 12_000
/** Until one validator has made its two attempts. */
const DROPPED_MS_MAX = 40_000
const CHECK_INTERVAL_MS = 500
const MANY_SENDERS = 40

const send = async (
  { cluster }: AttackContext,
  entry: number,
  sender: number,
  initCode: Uint8Array,
): Promise<string> => {
  const { raw } = slowCreation(freshKey(sender), initCode)
  return cluster.node(entry).rpc<string>('eth_sendRawTransaction', raw)
}

/** What a validator says about it afterwards. */
const explanations = async ({ cluster }: AttackContext, hash: string): Promise<readonly string[]> =>
  Promise.all(
    [1, 2, 3, 4].map(
      async index => (await cluster.node(index).rpc<string | null>('txpool_explain', hash)) ?? '',
    ),
  )

const nameOf = (what: string): string => what.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')

const slow = ([what, initCode]: readonly [string, Uint8Array], index: number): Attack => ({
  name: `slow-transaction-${nameOf(what)}`,
  what: `Sends a creation with gas for a day, by an account without a balance: ${what}.`,
  network: NETWORK,
  limits: LIMITS,
  run: async context => {
    const entry = index % 2 === 0 ? 1 : PEER
    const hash = await send(context, entry, index, initCode)
    const isDropped = (texts: readonly string[]) => texts.some(text => text.startsWith('dropped'))
    const endMs = performance.now() + DROPPED_MS_MAX
    let said = await explanations(context, hash)
    while (!isDropped(said) && performance.now() < endMs) {
      await Bun.sleep(CHECK_INTERVAL_MS)
      said = await explanations(context, hash)
    }
    context.say(`sent to node ${entry}; the validators say: ${[...new Set(said)].join(' | ')}`)
    return isDropped(said) ? [] : ['no validator dropped it']
  },
})

const many: Attack = {
  name: 'slow-transactions-of-many-senders',
  what: `Sends endless loops, as ${MANY_SENDERS} accounts without a balance at once, to all nodes.`,
  network: NETWORK,
  limits: LIMITS,
  // Until all of them are dropped, transfers that pay the same come before them all the same.
  run: async context => {
    const initCode = SLOW_CODE['a loop'] as Uint8Array
    await Promise.all(
      Array.from({ length: MANY_SENDERS }, (_, index) =>
        send(context, 1 + (index % PEER), 1000 + index, initCode),
      ),
    )
    await Bun.sleep(2 * ATTACK_MS)
    return []
  },
}

const AUTHORIZING_SENDERS = 4

const authorizations: Attack = {
  name: 'slow-transaction-authorizations',
  what: `Sends calls with 9,000 authorizations that nobody signed, by ${AUTHORIZING_SENDERS} accounts without a balance.`,
  network: { ...FREE_GAS_PRAGUE, nodes: 5 },
  limits: LIMITS,
  run: async ({ cluster }) => {
    for (let sender = 0; sender < AUTHORIZING_SENDERS; sender++)
      await cluster
        .node(sender % 2 === 0 ? 1 : PEER)
        .rpc('eth_sendRawTransaction', longAuthorizationList(freshKey(2000 + sender)))
    await Bun.sleep(2 * ATTACK_MS)
    return []
  },
}

export const SLOW_TRANSACTIONS: readonly Attack[] = [
  ...Object.entries(SLOW_CODE).map(slow),
  authorizations,
  many,
]

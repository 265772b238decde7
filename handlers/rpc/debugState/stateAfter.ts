import type { StateChanges, StateReader } from '../../../core/state/account.ts'
import { EMPTY_BYTES, type Hash } from '../../../core/bytes/bytes.ts'
import type { BlockRecord } from '../../../core/store/store.ts'
import type { TrieNodeReader } from '../../../core/trie/nodes/node.ts'
import { updateStateRoot } from '../../../core/trie/state/stateRoot.ts'
import type { RpcContext } from '../context.ts'
import type { Call } from '../method.ts'
import { createOverlay } from '../simulation/blocks/overlay.ts'
import { budgetOf } from '../tracing/budget.ts'
import { replayBlock } from '../tracing/replay.ts'
import { trieAt } from '../state/trieAt.ts'

/** State and trie after a block, or after one of its transactions. */
export type StateView = {
  readonly reader: StateReader
  readonly nodes: TrieNodeReader
  readonly root: Hash
}

/** The changes of a block's transactions up to that one, including system calls. */
const changesUpTo = async (
  call: Call,
  context: RpcContext,
  { block, hash, senders }: BlockRecord,
  index: number,
): Promise<StateChanges> => {
  let changes: StateChanges = { accounts: [], codes: [] }
  await replayBlock(
    context,
    { block, hash, senders },
    ({ world }) => ({
      hooks: {},
      finish: () => {
        changes = world.changes(block.header.number)
        return EMPTY_BYTES
      },
    }),
    budgetOf(call, context),
    index,
  )
  return changes
}

/**
 * Reads from the state after transaction `index` of a block; after the whole block where it has fewer. `read` may run
 * more than once. @throws RpcError if the block is too old
 */
export const readStateAfter = async <T>(
  call: Call,
  context: RpcContext,
  record: BlockRecord,
  index: number | undefined,
  read: (view: StateView) => T,
): Promise<T> => {
  const { store } = context.chain
  const { header, transactions } = record.block
  if (index === undefined || index >= transactions.length)
    return await trieAt(context, header.number, call.expired).read((nodes, root) =>
      read({ reader: store.stateAt(header.number), nodes, root }),
    )
  const changes = await changesUpTo(call, context, record, index)
  const parent = header.number - 1n
  return await trieAt(context, parent, call.expired).read((nodes, root) => {
    const overlay = createOverlay(parent)
    const below = overlay.nodes(nodes)
    const update = updateStateRoot(below, root, changes)
    overlay.add(update)
    return read({ reader: overlay.reader(store.stateAt(parent)), nodes: below, root: update.root })
  })
}

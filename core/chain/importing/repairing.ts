import { equalBytes, type Hash } from '../../bytes/bytes.ts'
import { forkIsAtLeast } from '../../genesis/fork.ts'
import type { AccountChange, StateChanges, StateReader } from '../../state/account.ts'
import type { ChainHead } from '../../store/store.ts'
import type { Block } from '../../block/block.ts'
import { BLOCK_HASHES_MAX } from '../../evm/transaction/environment.ts'
import { blockHashesAfter } from '../execution/environment.ts'
import { ChainError } from '../error.ts'
import { sendersOf } from '../execution/execution.ts'
import { executeOn } from './importing.ts'
import { InvalidBlock } from '../rules/invalidBlock.ts'
import { checkOutcome } from '../rules/outcome.ts'
import {
  bodySource,
  type ChainContext,
  checkBody,
  hashOfHeader,
  headerContext,
  withSenders,
} from './validation.ts'

const knownHead = async ({ store }: ChainContext, number: bigint): Promise<ChainHead> => {
  const head = await store.chainHead(number)
  if (head === undefined) throw new ChainError('NO_SUCH_BLOCK', `block ${number} is not on the chain`)
  return head
}

/** The hashes for BLOCKHASH in the block after `parent`. */
const hashesBefore = async (
  chain: ChainContext,
  parent: ChainHead,
): Promise<(number: bigint) => Hash | undefined> => {
  const hashes = new Map<bigint, Hash>()
  const last = parent.header.number - 1n
  const first = last > BLOCK_HASHES_MAX ? last - BLOCK_HASHES_MAX : 0n
  for (let number = first; number <= last; number++) hashes.set(number, (await knownHead(chain, number)).hash)
  return blockHashesAfter(parent, number => hashes.get(number))
}

const isSameAccount = (a: AccountChange['after'], b: AccountChange['after']): boolean =>
  a === undefined || b === undefined
    ? a === b
    : a.nonce === b.nonce && a.balance === b.balance && equalBytes(a.codeHash, b.codeHash)

/** The changes with the stored accounts after the block, which have storage roots. @throws InvalidBlock */
const withStoredAccounts = (block: Block, changes: StateChanges, after: StateReader): StateChanges => ({
  ...changes,
  accounts: changes.accounts.map(change => {
    const stored = after.account(change.address)
    if (!isSameAccount(change.after, stored))
      throw new InvalidBlock(block.header, 'state-root', 'the stored state', 'another one')
    return { ...change, after: stored }
  }),
})

/**
 * Restores the record of a block below the head from the block of another node: checks the body against this node's header
 * of the block, and executes it on the state before it.
 * @throws InvalidBlock when the block is not the one on the chain; ChainError; StoreCorruption
 */
export const repairBlock = async (chain: ChainContext, given: Block): Promise<void> => {
  const { store, configuration } = chain
  const { number } = given.header
  const [own, parent] = [await knownHead(chain, number), await knownHead(chain, number - 1n)]
  if (!equalBytes(hashOfHeader(configuration, given.header), own.hash))
    throw new InvalidBlock(given.header, 'ancestry', 'the block on the chain', 'another one')
  // This node's header, because its seals may differ from those of the other node.
  const block: Block = { ...given, header: own.header }
  const context = headerContext(chain, own.header, parent, 0)
  if (!forkIsAtLeast(context.rules.fork, 'byzantium'))
    throw new ChainError(
      'UNSUPPORTED',
      `block ${number} is before Byzantium: its receipts cannot be restored`,
    )
  await checkBody(chain, block, context)
  const recovered = await withSenders(chain, block)
  const { result } = await executeOn(
    chain,
    parent,
    { ...block, rules: context.rules },
    () => bodySource(block.header, recovered),
    undefined,
    { nodes: undefined, blockHash: await hashesBefore(chain, parent) },
  )
  checkOutcome(block, { ...result, stateRoot: block.header.stateRoot })
  const changes = await store.run(() => withStoredAccounts(block, result.changes, store.stateAt(number)))
  await store.repair({
    block,
    hash: own.hash,
    totalDifficulty: own.totalDifficulty,
    senders: sendersOf(result.executed),
    receipts: result.receipts,
    changes,
  })
}

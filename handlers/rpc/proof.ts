import { equalBytes, type Address } from '../../core/bytes/bytes.ts'
import { toHex, toQuantity } from '../../core/bytes/hex.ts'
import { bigintToBytes, bigintToFixedBytes, bytesToBigint } from '../../core/bytes/integer.ts'
import { EMPTY_CODE_HASH, EMPTY_TRIE_ROOT } from '../../core/crypto/constants.ts'
import type { StateChanges } from '../../core/state/account.ts'
import { historicalNodes } from '../../core/trie/history.ts'
import type { TrieNodeReader } from '../../core/trie/node.ts'
import { accountProof, storageProof } from '../../core/trie/proof.ts'
import type { RpcContext } from './context.ts'
import { RpcError } from './errors.ts'
import type { Call, Params } from './method.ts'
import { createPace } from './pace.ts'
import { blockNumberOf, withSelector } from './parameters/block.ts'
import { given, integerOf, requireAddress, required } from './parameters/values.ts'

/** Slots proved in one answer: each costs a walk through the storage trie. */
export const PROOF_KEYS_MAX = 1024

/** How far before the head a proof is made: the trie is kept for the head, earlier ones are worked out by undoing blocks. */
export const PROOF_BLOCKS_MAX = 1024n

/** Accounts and slots undone for one proof, which is what its time and memory follow. */
export const PROOF_CHANGES_MAX = 200_000

/** A head that moves on while blocks are read is followed so many times. */
const ATTEMPTS_MAX = 8

const readKeys = (params: Params): readonly bigint[] => {
  const keys = given(params, 1)
  if (!Array.isArray(keys) || keys.length > PROOF_KEYS_MAX) throw new RpcError('INVALID_STORAGE_KEYS')
  return keys.map(key =>
    required(typeof key === 'string' ? integerOf(key) : undefined, 'INVALID_STORAGE_KEYS'),
  )
}

/** Besu's echo of a slot: whole bytes without leading zeros, `0x0` for slot zero. */
const slotText = (slot: bigint): string => (slot === 0n ? '0x0' : toHex(bigintToBytes(slot)))

const sizeOf = ({ accounts }: StateChanges): number =>
  accounts.reduce((sum, { slots }) => sum + 1 + slots.length, 0)

/** Adds what the blocks `from` to `to` changed, the newest first, in front of what is there. */
const collect = async (
  context: RpcContext,
  reverse: StateChanges[],
  from: bigint,
  to: bigint,
  expired: () => boolean,
): Promise<void> => {
  const pace = createPace(context.nowMs)
  let size = reverse.reduce((sum, changes) => sum + sizeOf(changes), 0)
  for (let number = from; number <= to; number++) {
    await pace()
    if (expired()) throw new RpcError('TIMEOUT')
    const changes = await context.chain.store.changesOf(number)
    if (changes === undefined) throw new RpcError('WORLD_STATE_UNAVAILABLE')
    reverse.unshift(changes)
    size += sizeOf(changes)
    if (size > PROOF_CHANGES_MAX) throw new RpcError('WORLD_STATE_UNAVAILABLE')
  }
}

/** Runs `read` over the trie after block `number`, whose root is checked against the block's. */
const withTrieAt = async <T>(
  context: RpcContext,
  number: bigint,
  expired: () => boolean,
  read: (nodes: TrieNodeReader, root: Uint8Array) => T,
): Promise<T> => {
  const { chain } = context
  const header = await chain.store.header(number)
  const reverse: StateChanges[] = []
  let collectedTo = number
  if (header === undefined) throw new RpcError('WORLD_STATE_UNAVAILABLE')
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const head = chain.head().header.number
    if (head - number > PROOF_BLOCKS_MAX) break
    await collect(context, reverse, collectedTo + 1n, head, expired)
    collectedTo = head
    const answer = await chain.store.run(() => {
      const current = chain.head().header
      // Blocks may have been committed while changes were read; the records are always those of the head.
      if (current.number !== collectedTo) return undefined
      const trie = historicalNodes(chain.store.nodes(), reverse, current.stateRoot)
      if (!equalBytes(trie.root, header.stateRoot))
        throw new Error(`undoing ${reverse.length} blocks does not give the state root of block ${number}`)
      return { value: read(trie.nodes, trie.root) }
    })
    if (answer !== undefined) return answer.value
  }
  throw new RpcError('WORLD_STATE_UNAVAILABLE')
}

/** eth_getProof (EIP-1186), at the head or at one of the PROOF_BLOCKS_MAX blocks before it. */
export const getProof = async ({ params, expired }: Call, context: RpcContext): Promise<unknown> => {
  const [{ address, keys }, selector] = withSelector(params, 2, () => ({
    address: requireAddress(params, 0),
    keys: readKeys(params),
  }))
  const number = await blockNumberOf(context, selector)
  if (number === undefined) return null
  return await withTrieAt(context, number, expired, (nodes, root) =>
    proofShape(context, { nodes, root, number, address, keys }),
  )
}

type ProofQuery = {
  readonly nodes: TrieNodeReader
  readonly root: Uint8Array
  readonly number: bigint
  readonly address: Address
  readonly keys: readonly bigint[]
}

const proofShape = (
  { chain }: RpcContext,
  { nodes, root, number, address, keys }: ProofQuery,
): Record<string, unknown> => {
  const state = chain.store.stateAt(number)
  const account = state.account(address)
  return {
    accountProof: accountProof(nodes, root, address).proof.map(toHex),
    address: toHex(address),
    balance: toQuantity(account?.balance ?? 0n),
    codeHash: toHex(account?.codeHash ?? EMPTY_CODE_HASH),
    nonce: toQuantity(account?.nonce ?? 0n),
    storageHash: toHex(account?.storageRoot ?? EMPTY_TRIE_ROOT),
    storageProof:
      account === undefined
        ? []
        : keys.map(key => {
            const slot = bigintToFixedBytes(key, 32)
            return {
              key: slotText(key),
              value: toQuantity(bytesToBigint(state.storage(address, account, slot))),
              proof: storageProof(nodes, address, account, slot).proof.map(toHex),
            }
          }),
  }
}

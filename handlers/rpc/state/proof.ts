import type { Address } from '../../../core/bytes/bytes.ts'
import { toHex, toQuantity } from '../../../core/bytes/hex.ts'
import { bigintToBytes, bigintToFixedBytes, bytesToBigint } from '../../../core/bytes/integer.ts'
import { EMPTY_CODE_HASH, EMPTY_TRIE_ROOT } from '../../../core/crypto/constants.ts'
import type { TrieNodeReader } from '../../../core/trie/nodes/node.ts'
import { accountProof, storageProof } from '../../../core/trie/state/proof.ts'
import type { RpcContext } from '../context.ts'
import { RpcError } from '../errors.ts'
import type { Call, Params } from '../method.ts'
import { blockNumberOf, withSelector } from '../parameters/block.ts'
import { STORAGE_KEYS_MAX } from '../parameters/limits.ts'
import { given, requireAddress, required, slotOf } from '../parameters/values.ts'
import { isForked } from './isForked.ts'
import { trieAt } from './trieAt.ts'

const readKeys = (params: Params): readonly bigint[] => {
  const keys = given(params, 1)
  if (!Array.isArray(keys) || keys.length > STORAGE_KEYS_MAX) throw new RpcError('INVALID_STORAGE_KEYS')
  return keys.map(key => required(slotOf(key), 'INVALID_STORAGE_KEYS'))
}

/** Besu's echo of a slot: whole bytes without leading zeros, `0x0` for slot zero. */
const slotText = (slot: bigint): string => (slot === 0n ? '0x0' : toHex(bigintToBytes(slot)))

/** eth_getProof (EIP-1186), at the head or at one of the TRIE_BLOCKS_MAX blocks before it. */
export const getProof = async ({ params, expired }: Call, context: RpcContext): Promise<unknown> => {
  const [{ address, keys }, selector] = withSelector(params, 2, () => ({
    address: requireAddress(params, 0),
    keys: readKeys(params),
  }))
  const number = await blockNumberOf(context, selector)
  if (number === undefined) return null
  if (isForked(context))
    throw new RpcError('DEVELOPMENT_REFUSED', {
      detail: 'it has no proofs, because most of its state is with the network that it forks',
    })
  return await trieAt(context, number, expired).read((nodes, root) =>
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
    storageProof: keys.map(key => {
      // A missing account has no storage trie.
      if (account === undefined) return { key: slotText(key), value: '0x0', proof: [] }
      const slot = bigintToFixedBytes(key, 32)
      return {
        key: slotText(key),
        value: toQuantity(bytesToBigint(state.storage(address, account, slot))),
        proof: storageProof(nodes, address, account, slot).proof.map(toHex),
      }
    }),
  }
}

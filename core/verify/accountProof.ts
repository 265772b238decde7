import { equalBytes, type Hash, equalOptionalBytes } from '../bytes/bytes.ts'
import { fromHex } from '../bytes/hex.ts'
import { bigintToFixedBytes } from '../bytes/integer.ts'
import { EMPTY_CODE_HASH, EMPTY_TRIE_ROOT } from '../crypto/constants.ts'
import { keccak256 } from '../crypto/crypto.ts'
import { accountValue, slotValue } from '../trie/state/account.ts'
import { verifyProof } from '../trie/verify.ts'
import { NotProved } from './notProved.ts'

/** The result of `eth_getProof` (EIP-1186). */
export type ProofJson = {
  readonly address: string
  readonly accountProof: readonly string[]
  readonly balance: string
  readonly nonce: string
  readonly codeHash: string
  readonly storageHash: string
  readonly storageProof: readonly {
    readonly key: string
    readonly value: string
    readonly proof: readonly string[]
  }[]
}

/** A proved account, with the requested slots by their keys. */
export type ProvedAccount = {
  readonly exists: boolean
  /** Wei. */
  readonly balance: bigint
  readonly nonce: bigint
  readonly codeHash: Hash
  readonly storageHash: Hash
  readonly slots: ReadonlyMap<bigint, bigint>
}

const bytesOf = (text: string): Uint8Array => fromHex(text.slice(2).toLowerCase())

/**
 * Verifies the result of `eth_getProof` under the state root of a trusted block.
 * @throws NotProved for another value, account or slot; InvalidProof, RlpError for invalid nodes
 */
export const verifyAccountProof = (
  stateRoot: Hash,
  address: Uint8Array,
  slots: readonly bigint[],
  answer: ProofJson,
): ProvedAccount => {
  const what = `account ${answer.address}`
  const balance = BigInt(answer.balance)
  const nonce = BigInt(answer.nonce)
  const codeHash = bytesOf(answer.codeHash)
  const storageHash = bytesOf(answer.storageHash)
  const value = verifyProof(stateRoot, keccak256(address), answer.accountProof.map(bytesOf))
  const exists = value !== undefined
  const claimed = accountValue({ balance, nonce, codeHash, storageRoot: storageHash, incarnation: 0n })
  const isEmpty =
    balance === 0n &&
    nonce === 0n &&
    equalBytes(codeHash, EMPTY_CODE_HASH) &&
    equalBytes(storageHash, EMPTY_TRIE_ROOT)
  if (exists ? !equalBytes(value, claimed) : !isEmpty)
    throw new NotProved(what, 'the state trie has another value')
  const proved = new Map<bigint, bigint>()
  for (const slot of slots) {
    const entry = answer.storageProof.find(({ key }) => BigInt(key) === slot)
    if (entry === undefined) throw new NotProved(what, `there is no proof of slot ${slot}`)
    const word = BigInt(entry.value)
    const found = exists
      ? verifyProof(storageHash, keccak256(bigintToFixedBytes(slot, 32)), entry.proof.map(bytesOf))
      : undefined
    if (!equalOptionalBytes(found, slotValue(bigintToFixedBytes(word, 32))))
      throw new NotProved(what, `the storage trie has another value in slot ${slot}`)
    proved.set(slot, word)
  }
  return { exists, balance, nonce, codeHash, storageHash, slots: proved }
}

import { equalBytes, type Hash, equalOptionalBytes } from '../bytes/bytes.ts'
import { fromHex, toHex } from '../bytes/hex.ts'
import { bigintToFixedBytes } from '../bytes/integer.ts'
import { EMPTY_CODE_HASH, EMPTY_TRIE_ROOT } from '../crypto/constants.ts'
import { keccak256 } from '../crypto/crypto.ts'
import { accountValue, slotValue } from '../trie/state/account.ts'
import { PROOF_NODES_MAX, verifyProof } from '../trie/verify.ts'
import { NotProved } from './notProved.ts'

/** The result of `eth_getProof` (EIP-1186). */
export type ProofJson = {
  readonly address: string
  readonly accountProof: readonly string[]
  readonly balance: string
  readonly nonce: string
  readonly codeHash: string
  readonly storageHash: string
  readonly storageProof: readonly SlotJson[]
}

type SlotJson = { readonly key: string; readonly value: string; readonly proof: readonly string[] }

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

/** Quantities and slots of an answer have 256 bits; hosts write slots with or without leading zeros. */
const QUANTITY = /^0x[0-9a-f]{1,64}$/i
const HASH = /^0x[0-9a-f]{64}$/i
/**
 * Digits of a node: a branch of a state or storage trie has 532 bytes at most, a leaf 150. Longer ones are refused before they are
 * hashed.
 */
const NODE_DIGITS_MAX = 2 * 1024
const NODE = /^0x(?:[0-9a-f]{2})*$/i

/** An untrusted value of an answer. @throws NotProved when it does not have the form */
const checkedText = (what: string, name: string, value: unknown, form: RegExp): string => {
  if (typeof value !== 'string' || value.length > NODE_DIGITS_MAX + 2 || !form.test(value))
    throw new NotProved(what, `the answer has no ${name}`)
  return value.toLowerCase()
}

const checkedList = (what: string, name: string, value: unknown, lengthMax: number): readonly unknown[] => {
  if (!Array.isArray(value) || value.length > lengthMax)
    throw new NotProved(what, `the answer has no ${name}, or a longer one than was asked for`)
  return value
}

const nodesOf = (what: string, name: string, value: unknown): readonly Uint8Array[] =>
  checkedList(what, name, value, PROOF_NODES_MAX).map(node => fromHex(checkedText(what, name, node, NODE)))

/** The entries of an answer about so many slots. @throws NotProved */
const slotEntries = (what: string, { storageProof }: ProofJson, slotsMax: number): Map<bigint, SlotJson> =>
  new Map(
    checkedList(what, 'storageProof', storageProof, slotsMax).map(entry => {
      if (typeof entry !== 'object' || entry === null)
        throw new NotProved(what, 'the answer has no storageProof')
      const slot = entry as SlotJson
      return [BigInt(checkedText(what, 'key of a slot', slot.key, QUANTITY)), slot]
    }),
  )

/**
 * Verifies the result of `eth_getProof` under the state root of a trusted block.
 * @param answer of an untrusted node, in whatever form
 * @throws NotProved for another value, account or slot, or another form; InvalidProof for nodes that do not prove it
 */
export const verifyAccountProof = (
  stateRoot: Hash,
  address: Uint8Array,
  slots: readonly bigint[],
  answer: ProofJson,
): ProvedAccount => {
  const what = `account ${toHex(address)}`
  const quantity = (name: string, text: unknown): bigint => BigInt(checkedText(what, name, text, QUANTITY))
  const hash = (name: string, text: unknown): Uint8Array => fromHex(checkedText(what, name, text, HASH))
  const balance = quantity('balance', answer.balance)
  const nonce = quantity('nonce', answer.nonce)
  const codeHash = hash('codeHash', answer.codeHash)
  const storageHash = hash('storageHash', answer.storageHash)
  const value = verifyProof(stateRoot, keccak256(address), nodesOf(what, 'accountProof', answer.accountProof))
  const exists = value !== undefined
  const claimed = accountValue({ balance, nonce, codeHash, storageRoot: storageHash, incarnation: 0n })
  const isEmpty =
    balance === 0n &&
    nonce === 0n &&
    equalBytes(codeHash, EMPTY_CODE_HASH) &&
    equalBytes(storageHash, EMPTY_TRIE_ROOT)
  if (exists ? !equalBytes(value, claimed) : !isEmpty)
    throw new NotProved(what, 'the state trie has another value')
  const entries = slots.length === 0 ? new Map<bigint, SlotJson>() : slotEntries(what, answer, slots.length)
  const proved = new Map<bigint, bigint>()
  for (const slot of slots) {
    const entry = entries.get(slot)
    if (entry === undefined) throw new NotProved(what, `there is no proof of slot ${slot}`)
    const word = quantity('value of a slot', entry.value)
    const found = exists
      ? verifyProof(
          storageHash,
          keccak256(bigintToFixedBytes(slot, 32)),
          nodesOf(what, 'proof of a slot', entry.proof),
        )
      : undefined
    if (!equalOptionalBytes(found, slotValue(bigintToFixedBytes(word, 32))))
      throw new NotProved(what, `the storage trie has another value in slot ${slot}`)
    proved.set(slot, word)
  }
  return { exists, balance, nonce, codeHash, storageHash, slots: proved }
}

import { describe, expect, test } from 'bun:test'
import { verifyMerkleProof } from '@ethereumjs/mpt'
import { equalBytes } from '../../../core/bytes/bytes.ts'
import { toHex, toQuantity } from '../../../core/bytes/hex.ts'
import { bigintToFixedBytes } from '../../../core/bytes/integer.ts'
import { EMPTY_CODE_HASH, EMPTY_TRIE_ROOT } from '../../../core/crypto/constants.ts'
import { keccak256 } from '../../../core/crypto/crypto.ts'
import { decodeRlp, encodeRlp, type RlpItem } from '../../../core/rlp/rlp.ts'
import { accountValue } from '../../../core/trie/state/account.ts'
import { accountProof, storageProof } from '../../../core/trie/state/proof.ts'
import { InvalidProof, verifyProof } from '../../../core/trie/verify.ts'
import { NotProved, type ProofJson, verifyAccountProof } from '../../../core/verify/index.ts'
import { seededRandom } from '../../support/random.ts'
import { builtState } from '../trie/builtState.ts'

const { records, root, held } = builtState(9, 150)
const random = seededRandom(10)
const SLOTS = [0n, 1n, 2n, 29n]

/** What an honest node answers about an account of the state, or about one that it does not have. */
const honestAnswer = (address: Uint8Array): ProofJson => {
  const one = held.find(other => equalBytes(other.address, address))
  const account = one?.account
  return {
    address: toHex(address),
    accountProof: accountProof(records, root, address).proof.map(toHex),
    balance: toQuantity(account?.balance ?? 0n),
    nonce: toQuantity(account?.nonce ?? 0n),
    codeHash: toHex(account?.codeHash ?? EMPTY_CODE_HASH),
    storageHash: toHex(account?.storageRoot ?? EMPTY_TRIE_ROOT),
    storageProof: SLOTS.map(slot => {
      const bytes = bigintToFixedBytes(slot, 32)
      const value = one?.slots.get(toHex(bytes))?.value
      const proof = account === undefined ? [] : storageProof(records, address, account, bytes).proof
      return {
        key: toHex(bytes),
        value: value === undefined ? '0x0' : toQuantity(BigInt(toHex(value))),
        proof: proof.map(toHex),
      }
    }),
  }
}

/** An account with slots, and one that is not there. */
const [HOLDER, STRANGER] = [
  (held.find(({ slots }) => slots.size > 3) ?? held[0])?.address as Uint8Array,
  new Uint8Array(20).fill(0xab),
]
const TYPED = [NotProved, InvalidProof] as const

/** What a client takes from an answer; undefined where it refuses it. Fails for an error that a wallet does not expect. */
const taken = (address: Uint8Array, answer: unknown) => {
  try {
    return verifyAccountProof(root, address, SLOTS, answer as ProofJson)
  } catch (error) {
    if (!TYPED.some(kind => error instanceof kind)) throw error
    return undefined
  }
}

describe('the answer of eth_getProof from a node that lies', () => {
  test('given an honest answer, then account and slots are proved, and what is not there, too', () => {
    for (const { address, account, slots } of held) {
      const proved = taken(address, honestAnswer(address))
      expect(proved).toMatchObject({ exists: true, balance: account.balance, nonce: account.nonce })
      for (const slot of SLOTS) {
        const value = slots.get(toHex(bigintToFixedBytes(slot, 32)))?.value
        expect(proved?.slots.get(slot)).toBe(value === undefined ? 0n : BigInt(toHex(value)))
      }
    }
    expect(taken(STRANGER, honestAnswer(STRANGER))).toMatchObject({ exists: false, balance: 0n, nonce: 0n })
  })

  const long = `0x${'ff'.repeat(5_000_000)}`
  const beyond = (text: string): string => toQuantity(BigInt(text) + 2n ** 256n)
  test.each<[string, (answer: ProofJson) => unknown]>([
    ['a balance of 2^256 more', answer => ({ ...answer, balance: beyond(answer.balance) })],
    ['a nonce of 2^256 more', answer => ({ ...answer, nonce: beyond(answer.nonce) })],
    ['a negative balance', answer => ({ ...answer, balance: '-1' })],
    ['a balance that is a number', answer => ({ ...answer, balance: 1.5 })],
    ['a balance of five million digits', answer => ({ ...answer, balance: '9'.repeat(5_000_000) })],
    ['a code hash of another length', answer => ({ ...answer, codeHash: `${answer.codeHash}00` })],
    ['a storage hash of 5 MB', answer => ({ ...answer, storageHash: long })],
    ['no fields', () => ({})],
    ['null', () => ({ accountProof: null, storageProof: null })],
    ['a proof that is a text', answer => ({ ...answer, accountProof: long })],
    ['nodes that are numbers', answer => ({ ...answer, accountProof: [1, 2, 3] })],
    ['a node of 5 MB', answer => ({ ...answer, accountProof: [...answer.accountProof, long] })],
    [
      'a million nodes',
      answer => ({ ...answer, accountProof: Array.from({ length: 1_000_000 }, () => '0x80') }),
    ],
    ['digits that are none', answer => ({ ...answer, accountProof: ['0xzz'] })],
    ['no slots', answer => ({ ...answer, storageProof: [] })],
    ['slots that are null', answer => ({ ...answer, storageProof: SLOTS.map(() => null) })],
    [
      'a million slots',
      answer => ({
        ...answer,
        storageProof: Array.from({ length: 1_000_000 }, () => answer.storageProof[0]),
      }),
    ],
    [
      'the value of another slot',
      answer => ({ ...answer, storageProof: answer.storageProof.map(one => ({ ...one, value: '0x7' })) }),
    ],
  ])('given %s, then it is refused with a typed error', (_, change) => {
    for (const address of [HOLDER, STRANGER])
      expect(taken(address, change(honestAnswer(address)))).toBeUndefined()
  })

  test('given the proof of another account, then its balance is not taken for this one', () => {
    for (const { address } of held.slice(0, 40)) {
      if (equalBytes(address, HOLDER)) continue
      expect(taken(HOLDER, honestAnswer(address))).toBeUndefined()
      expect(taken(STRANGER, honestAnswer(address))).toBeUndefined()
    }
    expect(taken(HOLDER, honestAnswer(STRANGER))).toBeUndefined()
  })
})

/** Changes of a node that keep it RLP. */
const changedItem = (item: RlpItem): RlpItem => {
  if (item instanceof Uint8Array) {
    const at = random.below(Math.max(1, item.length))
    return item.length === 0
      ? Uint8Array.of(random.below(256))
      : item.map((byte, index) => (index === at ? byte ^ (1 << random.below(8)) : byte))
  }
  const at = random.below(item.length)
  return item.map((child, index) => (index === at ? changedItem(child) : child))
}

const withLast = (proof: readonly Uint8Array[], node: Uint8Array): Uint8Array[] => [
  ...proof.slice(0, -1),
  node,
]

const MUTATIONS: readonly ((proof: readonly Uint8Array[], other: readonly Uint8Array[]) => Uint8Array[])[] = [
  proof => proof.slice(0, -1),
  proof => proof.slice(1),
  (proof, other) => [...proof, ...other.slice(-1)],
  (proof, other) => [...other.slice(0, -1), ...proof.slice(-1)],
  proof => proof.toReversed(),
  proof => withLast(proof, encodeRlp(changedItem(decodeRlp(proof.at(-1) as Uint8Array)))),
  proof => proof.with(0, encodeRlp(changedItem(decodeRlp(proof[0] as Uint8Array)))),
  proof =>
    withLast(proof, encodeRlp([...(decodeRlp(proof.at(-1) as Uint8Array) as RlpItem[]), new Uint8Array(0)])),
  proof => [...proof],
]

const nibblesOf = (bytes: Uint8Array): number[] => Array.from(bytes).flatMap(byte => [byte >> 4, byte & 15])

/**
 * A naive verification: looks each node up by its hash, in any order, and takes whatever path leads to the key. It takes proofs with
 * nodes too many as well, which the product refuses.
 */
const naive = (key: Uint8Array, proof: readonly Uint8Array[]): Uint8Array | 'absent' | 'refused' => {
  const byHash = new Map(proof.map(node => [toHex(keccak256(node)), node]))
  const nibbles = nibblesOf(key)
  const walk = (reference: RlpItem, path: readonly number[]): Uint8Array | 'absent' | 'refused' => {
    const bytes = reference instanceof Uint8Array ? byHash.get(toHex(reference)) : undefined
    if (reference instanceof Uint8Array && bytes === undefined) return 'refused'
    const node = (bytes === undefined ? reference : decodeRlp(bytes)) as RlpItem[]
    if (node.length === 17) {
      const child = node[path[0] as number] as RlpItem
      return child.length === 0 ? 'absent' : walk(child, path.slice(1))
    }
    const [encoded, child] = node as [Uint8Array, RlpItem]
    const digits = nibblesOf(encoded)
    const [flag = 0] = digits
    const own = digits.slice(flag % 2 === 1 ? 1 : 2)
    if (own.some((nibble, index) => path[index] !== nibble)) return 'absent'
    if (flag < 2) return walk(child, path.slice(own.length))
    return own.length === path.length ? (child as Uint8Array) : 'absent'
  }
  return walk(root, nibbles)
}

describe('a proof that was changed, beside a naive verification and that of @ethereumjs/mpt', () => {
  const accounts = [
    ...held.map(({ address }) => address),
    ...Array.from({ length: 60 }, () => random.bytes(20)),
  ]
  const proofOf = (address: Uint8Array): readonly Uint8Array[] => accountProof(records, root, address).proof

  test('given any change, then what is taken is what the state has, and what the others take', async () => {
    let [proved, refused] = [0, 0]
    for (const address of accounts) {
      const key = keccak256(address)
      const account = held.find(one => equalBytes(one.address, address))?.account
      const truth = account === undefined ? undefined : accountValue(account)
      const other = proofOf(accounts[random.below(accounts.length)] as Uint8Array)
      for (const mutate of MUTATIONS) {
        const proof = mutate(proofOf(address), other)
        let found: Uint8Array | undefined | 'refused'
        try {
          found = verifyProof(root, key, proof)
        } catch (error) {
          expect(error).toBeInstanceOf(InvalidProof)
          found = 'refused'
        }
        if (found === 'refused') {
          refused++
          continue
        }
        proved++
        expect(found).toEqual(truth as Uint8Array)
        expect(naive(key, proof)).toEqual(truth ?? 'absent')
        const reference = await verifyMerkleProof(key, [...proof], { root })
        expect(reference === null ? undefined : reference).toEqual(truth as Uint8Array)
      }
    }
    expect(proved).toBeGreaterThanOrEqual(accounts.length)
    expect(refused).toBeGreaterThan(accounts.length * 5)
  })
})

import { builtState } from '../builtState.ts'
import { describe, expect, test } from 'bun:test'
import { MerkleStateManager, getMerkleStateProof } from '@ethereumjs/statemanager'
import { Account as ReferenceAccount, createAddressFromString } from '@ethereumjs/util'
import { concatBytes } from '../../../../core/bytes/bytes.ts'
import { toHex } from '../../../../core/bytes/hex.ts'
import { EMPTY_TRIE_ROOT } from '../../../../core/crypto/constants.ts'
import { keccak256 } from '../../../../core/crypto/crypto.ts'
import { encodeRlp } from '../../../../core/rlp/rlp.ts'
import { accountValue, slotValue } from '../../../../core/trie/state/account.ts'
import { accountProof, proofOf, storageProof } from '../../../../core/trie/state/proof.ts'
import { updateStateRoot } from '../../../../core/trie/state/stateRoot.ts'
import { InvalidProof, verifyProof } from '../../../../core/trie/verify.ts'
import { seededRandom } from '../../../support/random.ts'
import { createRecords, entry, updateStored } from '../support.ts'

describe('given proofs of a state', () => {
  const { records, root, held } = builtState(1, 200)
  const random = seededRandom(2)

  test('when accounts exist, then they are proved with their values', () => {
    for (const { address, account } of held) {
      const { proof } = accountProof(records, root, address)
      expect(verifyProof(root, keccak256(address), proof)).toEqual(accountValue(account))
    }
  })

  test('when accounts do not exist, then that is proved', () => {
    for (let i = 0; i < 100; i++) {
      const address = random.bytes(20)
      expect(
        verifyProof(root, keccak256(address), accountProof(records, root, address).proof),
      ).toBeUndefined()
    }
  })

  test('when slots are proved, then they have their values, and unset slots are zero', () => {
    for (const { address, account, slots } of held)
      for (let i = 0; i < 30; i++) {
        const slot = new Uint8Array(32)
        slot[31] = i
        const { proof } = storageProof(records, address, account, slot)
        const value = slots.get(toHex(slot))?.value
        const expected = value === undefined ? undefined : slotValue(value)
        expect(verifyProof(account.storageRoot, keccak256(slot), proof)).toEqual(expected as Uint8Array)
      }
  })

  test('when the trie is empty, then no nodes prove it', () => {
    const address = random.bytes(20)
    const { proof } = accountProof(createRecords(), EMPTY_TRIE_ROOT, address)
    expect(proof).toEqual([])
    expect(verifyProof(EMPTY_TRIE_ROOT, keccak256(address), proof)).toBeUndefined()
  })

  test('when nodes are compared with those of @ethereumjs/statemanager, then they are equal', async () => {
    const manager = new MerkleStateManager()
    const some = held.slice(0, 40)
    for (const { address, account, slots } of some) {
      const target = createAddressFromString(toHex(address))
      await manager.putAccount(
        target,
        new ReferenceAccount(account.nonce, account.balance, EMPTY_TRIE_ROOT, account.codeHash),
      )
      for (const { slot, value } of slots.values()) await manager.putStorage(target, slot, value)
    }
    await manager.flush()
    const own = createRecords()
    const update = updateStateRoot(own, EMPTY_TRIE_ROOT, {
      accounts: some.map(({ address, account, slots }) => ({
        address,
        before: undefined,
        after: account,
        slots: [...slots.values()].map(({ slot, value }) => ({
          slot,
          before: new Uint8Array(32),
          after: value,
        })),
      })),
      codes: [],
    })
    own.write(update.nodes)
    for (const { address, account, slots } of some) {
      const keys = [...slots.values()].map(({ slot }) => slot)
      const reference = await getMerkleStateProof(manager, createAddressFromString(toHex(address)), keys)
      expect(accountProof(own, update.root, address).proof.map(toHex)).toEqual(reference.accountProof)
      expect(keys.map(key => storageProof(own, address, account, key).proof.map(toHex))).toEqual(
        reference.storageProof.map(each => each.proof),
      )
    }
  })
})

describe('given a trie of short keys with embedded nodes', () => {
  const random = seededRandom(5)
  const records = createRecords()
  const keys = Array.from({ length: 120 }, () => random.bytes(2).map(byte => (byte % 5) * 17))
  const content = new Map(keys.map(key => [toHex(key), entry(key, random.bytes(1 + random.below(12)))]))
  const root = updateStored(records, EMPTY_TRIE_ROOT, [...content.values()])

  test('when every key of two bytes is proved, then it is present or absent as it is', () => {
    for (let i = 0; i < 0x1_0000; i += 17) {
      const key = Uint8Array.of(i >> 8, i & 255)
      const { proof } = proofOf(records, 't:', root, key)
      expect(verifyProof(root, key, proof)).toEqual(content.get(toHex(key))?.value as Uint8Array)
    }
  })
})

describe('given a changed proof', () => {
  const { records, root, held } = builtState(3, 100)
  const address = held[0]?.address as Uint8Array
  const key = keccak256(address)
  const { proof } = accountProof(records, root, address)
  const refused = (nodes: readonly Uint8Array[]) =>
    expect(() => verifyProof(root, key, nodes)).toThrow(InvalidProof)

  test('when any byte changed, then it is refused', () => {
    proof.forEach((node, index) => {
      for (let at = 0; at < node.length; at += 7) {
        const changed = node.slice()
        changed[at] = (changed[at] as number) ^ 1
        refused(proof.with(index, changed))
      }
    })
  })

  test('when it has a node less or more, then it is refused', () => {
    refused(proof.slice(0, -1))
    refused(proof.slice(1))
    refused([])
    refused([...proof, proof[0] as Uint8Array])
    refused(Array.from({ length: 66 }, () => proof[0] as Uint8Array))
  })

  test('when a node of another shape has the right hash, then it is refused', () => {
    for (const shape of [
      encodeRlp(Uint8Array.of(1, 2)),
      encodeRlp([]),
      encodeRlp([Uint8Array.of(0x20)]),
      encodeRlp([[], new Uint8Array(40)]),
      encodeRlp([new Uint8Array(0), new Uint8Array(40)]),
      encodeRlp([Uint8Array.of(0x50), new Uint8Array(40)]),
      encodeRlp([concatBytes(Uint8Array.of(0x20), key), [Uint8Array.of(1)]]),
    ])
      expect(() => verifyProof(keccak256(shape), key, [shape])).toThrow(InvalidProof)
  })
})

import { toBareHex, toHex } from '../../bytes/hex.ts'
import { EMPTY_BYTES, isZeroBytes } from '../../bytes/bytes.ts'
import type { GenesisAccount } from '../configuration.ts'
import { GenesisError } from '../error.ts'
import {
  bytesOf,
  fixedBytes,
  hexNumberOf,
  numberText,
  quantityOf,
  read,
  type Section,
  sectionOf,
  subsection,
} from './section.ts'

const storageOf = (account: Section): GenesisAccount['storage'] => {
  const section = subsection(account, 'storage')
  if (section === undefined) return []
  const slots = new Map<string, readonly [Uint8Array, Uint8Array]>()
  for (const [key, entry] of section.entries) {
    const slot = fixedBytes(entry.path, key, 32)
    const id = toBareHex(slot)
    if (slots.has(id))
      throw new GenesisError('CONTRADICTION', entry.path, 'this slot is given twice: keep one')
    slots.set(id, [slot, fixedBytes(entry.path, numberText(entry), 32)])
  }
  return [...slots.values()].filter(([, value]) => !isZeroBytes(value))
}

/**
 * The accounts of `alloc`, read as Besu does: addresses and slots may omit leading zeros, a balance is decimal or hex with
 * `0x`, a nonce is always hex. `privateKey`, `comment` and unknown keys are ignored.
 * @throws GenesisError
 */
export const parseAlloc = (root: Section): readonly GenesisAccount[] => {
  const alloc = subsection(root, 'alloc')
  if (alloc === undefined) return []
  const accounts = new Map<string, GenesisAccount>()
  const accountKeys = new Map<string, string>()
  for (const [key, entry] of alloc.entries) {
    const address = fixedBytes(entry.path, key, 20)
    const id = toBareHex(address)
    if (accounts.has(id))
      throw new GenesisError(
        'CONTRADICTION',
        entry.path,
        `the account ${toHex(address)} is given twice: keep one`,
      )
    const account = sectionOf(entry, accountKeys)
    accounts.set(id, {
      address,
      balance: read(account, 'balance', balance => quantityOf(balance, 256), 0n),
      nonce: read(account, 'nonce', nonce => hexNumberOf(nonce, 64), 0n),
      code: read(account, 'code', bytesOf, EMPTY_BYTES),
      storage: storageOf(account),
    })
  }
  return [...accounts.values()]
}

import { type ForkName, forkIsAtLeast } from '../../genesis/fork.ts'
import { BLAKE2F } from './blake2/blake2f.ts'
import * as bls from './bls12381/bls12381.ts'
import * as bn254 from './bn254.ts'
import { ECRECOVER } from './ecrecover.ts'
import { IDENTITY, RIPEMD160, SHA256 } from './hashes.ts'
import { KZG_POINT_EVALUATION } from './kzg.ts'
import * as modexp from './modexp/modexp.ts'
import { P256VERIFY } from './p256.ts'
import type { Precompile } from './precompile.ts'

/** The first fork of each contract and of each change of its gas; a later row of an address replaces an earlier one. */
const ROWS: readonly (readonly [address: number, since: ForkName, precompile: Precompile])[] = [
  [0x01, 'frontier', ECRECOVER],
  [0x02, 'frontier', SHA256],
  [0x03, 'frontier', RIPEMD160],
  [0x04, 'frontier', IDENTITY],
  [0x05, 'byzantium', modexp.MODEXP_BYZANTIUM],
  [0x05, 'berlin', modexp.MODEXP_BERLIN],
  [0x05, 'osaka', modexp.MODEXP_OSAKA],
  [0x06, 'byzantium', bn254.BN254_ADD_BYZANTIUM],
  [0x06, 'istanbul', bn254.BN254_ADD_ISTANBUL],
  [0x07, 'byzantium', bn254.BN254_MUL_BYZANTIUM],
  [0x07, 'istanbul', bn254.BN254_MUL_ISTANBUL],
  [0x08, 'byzantium', bn254.BN254_PAIRING_BYZANTIUM],
  [0x08, 'istanbul', bn254.BN254_PAIRING_ISTANBUL],
  [0x09, 'istanbul', BLAKE2F],
  [0x0a, 'cancun', KZG_POINT_EVALUATION],
  [0x0b, 'prague', bls.BLS12_G1ADD],
  [0x0c, 'prague', bls.BLS12_G1MSM],
  [0x0d, 'prague', bls.BLS12_G2ADD],
  [0x0e, 'prague', bls.BLS12_G2MSM],
  [0x0f, 'prague', bls.BLS12_PAIRING_CHECK],
  [0x10, 'prague', bls.BLS12_MAP_FP_TO_G1],
  [0x11, 'prague', bls.BLS12_MAP_FP2_TO_G2],
  [0x100, 'osaka', P256VERIFY],
]

const ADDRESS_LENGTH = 20

const addressOf = (number: number): Uint8Array => {
  const address = new Uint8Array(ADDRESS_LENGTH)
  address[18] = number >>> 8
  address[19] = number & 0xff
  return address
}

/** One fork's contracts, indexed by the low two bytes of the address. */
type PrecompileSet = {
  readonly contracts: readonly (Precompile | undefined)[]
  readonly addresses: readonly Uint8Array[]
}

const precompileSet = (fork: ForkName): PrecompileSet => {
  const contracts: (Precompile | undefined)[] = Array.from({ length: 0x101 }, () => undefined)
  for (const [address, since, precompile] of ROWS) {
    if (forkIsAtLeast(fork, since)) contracts[address] = precompile
  }
  const addresses: Uint8Array[] = []
  contracts.forEach((precompile, address) => {
    if (precompile !== undefined) addresses.push(addressOf(address))
  })
  return { contracts, addresses }
}

/** Created when they are first used. */
const sets = new Map<ForkName, PrecompileSet>()

const setOf = (fork: ForkName): PrecompileSet => {
  const known = sets.get(fork)
  if (known !== undefined) return known
  const created = precompileSet(fork)
  sets.set(fork, created)
  return created
}

/** The precompile at an address, or undefined. Fast, because it runs for every call and most addresses have none. */
export const precompileAt = (fork: ForkName, address: Uint8Array): Precompile | undefined => {
  for (let i = 0; i < 18; i++) if (address[i] !== 0) return undefined
  const number = ((address[18] as number) << 8) | (address[19] as number)
  return setOf(fork).contracts[number]
}

/** The addresses of a fork's precompiles in ascending order, warm from the start of every transaction (EIP-2929). */
export const precompileAddresses = (fork: ForkName): readonly Uint8Array[] => setOf(fork).addresses

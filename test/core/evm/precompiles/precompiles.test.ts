import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { precompileAddresses, precompileAt } from '../../../../core/evm/precompiles/precompiles.ts'
import { toHex } from '../../../../core/bytes/hex.ts'
import { FORKS, type ForkName, forkIsAtLeast } from '../../../../core/genesis/fork.ts'
import { addressOf, contractAt } from './support.ts'

const namesOf = (fork: ForkName): string[] =>
  precompileAddresses(fork).map(address => precompileAt(fork, address)?.name ?? 'none')

const FRONTIER = ['ECREC', 'SHA256', 'RIPEMD160', 'ID']
const BYZANTIUM = [...FRONTIER, 'MODEXP', 'BN254_ADD', 'BN254_MUL', 'BN254_PAIRING']
const ISTANBUL = [...BYZANTIUM, 'BLAKE2F']
const CANCUN = [...ISTANBUL, 'KZG_POINT_EVALUATION']
const BLS = ['G1ADD', 'G1MSM', 'G2ADD', 'G2MSM', 'PAIRING_CHECK', 'MAP_FP_TO_G1', 'MAP_FP2_TO_G2']
const PRAGUE = [...CANCUN, ...BLS.map(name => `BLS12_${name}`)]
const OSAKA = [...PRAGUE, 'P256VERIFY']

describe('given the precompiles of a fork', () => {
  test('when a fork follows another, then it has its predecessor’s and its own', () => {
    const since: readonly (readonly [ForkName, readonly string[]])[] = [
      ['frontier', FRONTIER],
      ['byzantium', BYZANTIUM],
      ['istanbul', ISTANBUL],
      ['cancun', CANCUN],
      ['prague', PRAGUE],
      ['osaka', OSAKA],
    ]
    for (const fork of FORKS) {
      const [, names] = since.findLast(([first]) => forkIsAtLeast(fork, first)) as (typeof since)[number]
      expect([fork, ...namesOf(fork)]).toEqual([fork, ...names])
    }
  })

  test('when they are listed, then they are at one to seventeen, and P256VERIFY at 256', () => {
    const addresses = precompileAddresses('osaka').map(
      address => ((address[18] as number) << 8) | (address[19] as number),
    )
    expect(addresses).toEqual([...Array.from({ length: 17 }, (_, index) => index + 1), 0x100])
    for (const address of precompileAddresses('osaka')) expect(address.length).toBe(20)
  })

  test('when other addresses are called, then there are none', () => {
    for (const number of [0, 0x12, 0xff, 0x101, 0x200, 0xffff]) {
      expect(precompileAt('osaka', addressOf(number))).toBeUndefined()
    }
    for (let at = 0; at < 18; at++) {
      const address = addressOf(1)
      address[at] = 1
      expect(precompileAt('osaka', address)).toBeUndefined()
    }
    expect(precompileAt('prague', addressOf(0x100))).toBeUndefined()
    expect(precompileAt('frontier', addressOf(5))).toBeUndefined()
  })

  test('when a fork changes a price, then it applies', () => {
    const empty = new Uint8Array(0)
    const gas = (number: number, fork: ForkName): number => contractAt(number, fork).gas(empty)
    expect([gas(6, 'byzantium'), gas(6, 'petersburg'), gas(6, 'istanbul')]).toEqual([500, 500, 150])
    expect([gas(7, 'byzantium'), gas(7, 'istanbul')]).toEqual([40_000, 6000])
    expect([gas(8, 'byzantium'), gas(8, 'istanbul')]).toEqual([100_000, 45_000])
    expect([gas(5, 'byzantium'), gas(5, 'berlin'), gas(5, 'osaka')]).toEqual([0, 200, 500])
  })

  test('given a contract of the table, then a file of vectors in this folder names its address', () => {
    const vectors = readdirSync(import.meta.dir)
      .filter(name => name.endsWith('.test.ts') && name !== 'precompiles.test.ts')
      .map(name => readFileSync(`${import.meta.dir}/${name}`, 'utf8'))
      .join('\n')
    const without = precompileAddresses('osaka').filter(address => {
      const number = ((address[18] as number) << 8) | (address[19] as number)
      const hex = `0x${number.toString(16).padStart(2, '0')}`
      return !vectors.includes(`contractAt(${number})`) && !new RegExp(`\\b${hex}\\b`).test(vectors)
    })
    expect(without.map(address => toHex(address))).toEqual([])
  })
})

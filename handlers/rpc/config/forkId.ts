import { type Hash, concatBytes } from '../../../core/bytes/bytes.ts'
import { bigintToFixedBytes } from '../../../core/bytes/integer.ts'
import type { ChainConfiguration } from '../../../core/genesis/configuration.ts'

const CRC32_POLYNOMIAL = 0xedb88320

/** CRC-32 of IEEE 802.3. */
const crc32 = (bytes: Uint8Array): number => {
  let crc = 0xffffffff
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? CRC32_POLYNOMIAL : 0)
  }
  return (crc ^ 0xffffffff) >>> 0
}

const ascending = (values: readonly bigint[]): bigint[] =>
  [...new Set(values)].filter(value => value > 0n).sort((a, b) => (a < b ? -1 : 1))

/**
 * EIP-2124's FORK_HASH with the times of EIP-6122: the checksum of the genesis hash and of every fork up to and with the
 * one that becomes active at `until` seconds. Forks that are active from genesis on do not count.
 */
export const forkHashAt = (
  configuration: ChainConfiguration,
  genesis: { readonly hash: Hash; readonly timestamp: bigint },
  until: bigint,
): Uint8Array => {
  const blocks = configuration.forks.flatMap(({ at }) => (at.kind === 'block' ? [at.number] : []))
  if (configuration.daoForkBlock !== undefined) blocks.push(configuration.daoForkBlock)
  const times = configuration.forks.flatMap(({ at }) =>
    at.kind === 'time' && at.timestamp > genesis.timestamp && at.timestamp <= until ? [at.timestamp] : [],
  )
  const passed = [...ascending(blocks), ...ascending(times)].map(value => bigintToFixedBytes(value, 8))
  return bigintToFixedBytes(BigInt(crc32(concatBytes(genesis.hash, ...passed))), 4)
}

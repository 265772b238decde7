import type { JsonObject } from '../../json.ts'
import { fromHex, toHex } from '../../bytes/hex.ts'
import { equalBytes, type Hash } from '../../bytes/bytes.ts'
import { SEGMENT_VERSION } from '../segments/segment.ts'
import { SnapshotDamaged } from './frames.ts'

/** The version of the file's frames and of this header. */
const SNAPSHOT_VERSION = 1

export type SnapshotHeader = {
  readonly chainId: bigint
  readonly genesisHash: Hash
  /** The last block of the snapshot. */
  readonly number: bigint
  readonly hash: Hash
}

/** The snapshot was made by a release that writes another form. */
export class SnapshotVersion extends Error {
  override readonly name = 'SnapshotVersion'
  readonly code = 'SNAPSHOT_VERSION'
}

export const encodeSnapshotHeader = ({ chainId, genesisHash, number, hash }: SnapshotHeader): Uint8Array =>
  new TextEncoder().encode(
    JSON.stringify({
      version: SNAPSHOT_VERSION,
      recordVersion: SEGMENT_VERSION,
      chainId: String(chainId),
      genesisHash: toHex(genesisHash),
      number: String(number),
      hash: toHex(hash),
    }),
  )

const integerOf = (value: unknown): bigint => {
  if (typeof value === 'string' && /^\d{1,20}$/.test(value)) return BigInt(value)
  throw new SnapshotDamaged('its header is not valid')
}

const hashOf = (value: unknown): Hash => {
  if (typeof value === 'string' && /^0x[0-9a-f]{64}$/.test(value)) return fromHex(value)
  throw new SnapshotDamaged('its header is not valid')
}

const requireVersion = (what: string, found: unknown, known: number): void => {
  if (typeof found !== 'number' || !Number.isSafeInteger(found) || found < 0)
    throw new SnapshotDamaged('its header is not valid')
  if (found !== known)
    throw new SnapshotVersion(
      `its ${what} is ${found}, this program reads ${known}: restore it with the release that made it, or make another one`,
    )
}

const objectOf = (bytes: Uint8Array): JsonObject => {
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    value = undefined
  }
  if (typeof value === 'object' && value !== null) return value as JsonObject
  throw new SnapshotDamaged('its header is not valid')
}

/** @throws SnapshotDamaged, SnapshotVersion */
export const decodeSnapshotHeader = (bytes: Uint8Array): SnapshotHeader => {
  const header = objectOf(bytes)
  requireVersion('version', header.version, SNAPSHOT_VERSION)
  requireVersion('version of block records', header.recordVersion, SEGMENT_VERSION)
  const decoded: SnapshotHeader = {
    chainId: integerOf(header.chainId),
    genesisHash: hashOf(header.genesisHash),
    number: integerOf(header.number),
    hash: hashOf(header.hash),
  }
  if (!equalBytes(encodeSnapshotHeader(decoded), bytes))
    throw new SnapshotDamaged('its header is not as it is written')
  return decoded
}

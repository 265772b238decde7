import { bytesToBigint } from '../../../core/bytes/integer.ts'
import { qbftSealHash } from '../../../core/block/codec/blockHash.ts'
import { DecodeError } from '../../../core/block/codec/error.ts'
import { extraDataOf, type QbftExtraData } from '../../../core/block/codec/extraData.ts'
import type { Header } from '../../../core/block/header.ts'
import type { RecoverSeals } from '../../../core/chain/rules/seals.ts'
import type { RecoveryPool } from './recoveryPool.ts'
import type { Recovery } from './signatureBuffers.ts'

/** Maximum seals per block recovered in advance. Longer lists are left to validation, which stops at the first foreign seal. */
const SEALS_MAX = 256

const readExtraData = (header: Header): QbftExtraData | undefined => {
  try {
    const extraData = extraDataOf(header)
    return extraData.seals.length > SEALS_MAX ? undefined : extraData
  } catch (error) {
    if (error instanceof DecodeError) return undefined
    throw error
  }
}

/** The seals of a header in their order; undefined for a header whose seals are left to validation. */
export const sealRecoveriesOf = (header: Header): readonly Recovery[] | undefined => {
  const extraData = readExtraData(header)
  if (extraData === undefined) return undefined
  const hash = qbftSealHash(header)
  return extraData.seals.map(seal => ({
    hash,
    yParity: seal[64] as number,
    r: bytesToBigint(seal.subarray(0, 32)),
    s: bytesToBigint(seal.subarray(32, 64)),
  }))
}

/** Recovers seals on the threads of the pool. */
export const createRecoverSeals =
  (pool: Pick<RecoveryPool, 'recover'>): RecoverSeals =>
  async headers => {
    const found = headers.map(sealRecoveriesOf)
    const signers = await pool.recover(found.flatMap(seals => seals ?? []))
    let at = 0
    return found.map(seals => (seals === undefined ? undefined : signers.slice(at, (at += seals.length))))
  }

import { bytesToBigint } from '../../../core/bytes/integer.ts'
import { qbftSealHash } from '../../../core/block/codec/blockHash.ts'
import { DecodeError } from '../../../core/block/codec/error.ts'
import { decodeExtraData, type QbftExtraData } from '../../../core/block/codec/extraData.ts'
import type { Header } from '../../../core/block/header.ts'
import type { RecoverSeals } from '../../../core/chain/rules/seals.ts'
import type { RecoveryPool } from './recoveryPool.ts'

/** Maximum seals per block recovered in advance. Longer lists are left to validation, which stops at the first foreign seal. */
const SEALS_MAX = 256

const extraDataOf = (header: Header): QbftExtraData | undefined => {
  try {
    const extraData = decodeExtraData(header.extraData)
    return extraData.seals.length > SEALS_MAX ? undefined : extraData
  } catch (error) {
    if (error instanceof DecodeError) return undefined
    throw error
  }
}

/** Recovers seals on the threads of the pool. */
export const createRecoverSeals =
  (pool: RecoveryPool): RecoverSeals =>
  async headers => {
    const found = headers.map(extraDataOf)
    const signers = await pool.recover(
      found.flatMap((extraData, index) => {
        if (extraData === undefined) return []
        const hash = qbftSealHash(headers[index] as Header)
        return extraData.seals.map(seal => ({
          hash,
          yParity: seal[64] as number,
          r: bytesToBigint(seal.subarray(0, 32)),
          s: bytesToBigint(seal.subarray(32, 64)),
        }))
      }),
    )
    let at = 0
    return found.map(extraData => {
      if (extraData === undefined) return undefined
      const own = signers.slice(at, at + extraData.seals.length)
      at += extraData.seals.length
      return own
    })
  }

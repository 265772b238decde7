import { type Address, equalBytes, type Hash } from '../../../core/bytes/bytes.ts'
import { toBareHex, toHex } from '../../../core/bytes/hex.ts'
import type { Block } from '../../../core/block/block.ts'
import { qbftSealHash } from '../../../core/block/codec/blockHash.ts'
import { decodeExtraData } from '../../../core/block/codec/extraData.ts'
import { sealSigner } from '../../../core/block/codec/seal.ts'
import { proposalDigest } from '../../../core/qbft/codec/roundOfBlock.ts'
import { QBFT_CODES, type QbftMessage, type SignedPrepare } from '../../../core/qbft/message.ts'
import { authorOf } from '../../../core/qbft/signatures.ts'

/** All that honest validators ever signed and showed, over all their lives. */
export type Commitments = {
  /** A message that leaves its honest author. */
  sent(author: Address, message: QbftMessage): void
  /** The seals that an honest node puts under a block. */
  sealed(block: Block): void
  /** The first contradiction. */
  conflict(): string | undefined
}

type Kind = 'proposal' | 'prepare' | 'commit' | 'seal'

export const createCommitments = (
  isHonest: (address: Address) => boolean,
  isForgetful: (address: Address) => boolean,
): Commitments => {
  const first = new Map<string, Hash>()
  /** Of each author and height, the rounds it committed in, and the highest of them. */
  const committed = new Map<string, number>()
  let conflict: string | undefined

  const note = (author: Address, kind: Kind, sequence: bigint, round: number, digest: Hash): void => {
    const key = `${toBareHex(author)} ${kind} ${sequence} ${round}`
    const before = first.get(key)
    if (before === undefined) first.set(key, digest)
    else if (!equalBytes(before, digest))
      conflict ??= `${toHex(author)} gave a ${kind} for two blocks in height ${sequence} round ${round}`
  }

  const notePrepares = (prepares: readonly SignedPrepare[]): void => {
    for (const signed of prepares) {
      const author = authorOf(QBFT_CODES.prepare, signed)
      const { sequence, round, digest } = signed.payload
      if (author !== undefined && isHonest(author)) note(author, 'prepare', sequence, round, digest)
    }
  }

  /**
   * "RC honesty": whoever committed in a round says so ever after. One that lost its record may not know, and counts among the
   * faulty ones for that.
   */
  const noteRoundChange = (author: Address, sequence: bigint, round: number, prepared: number): void => {
    const last = isForgetful(author) ? undefined : committed.get(`${toBareHex(author)} ${sequence}`)
    if (last !== undefined && last < round && prepared < last)
      conflict ??= `${toHex(author)} committed in height ${sequence} round ${last} and told of round ${prepared} at most when it asked for round ${round}`
  }

  const noteCommit = (author: Address, sequence: bigint, round: number): void => {
    const key = `${toBareHex(author)} ${sequence}`
    committed.set(key, Math.max(round, committed.get(key) ?? -1))
  }

  return {
    conflict: () => conflict,
    sent: (author, message) => {
      const { sequence, round } = message.signed.payload
      switch (message.kind) {
        case 'proposal':
          note(author, 'proposal', sequence, round, proposalDigest(message.signed.payload.block))
          return notePrepares(message.prepares)
        case 'prepare':
          return note(author, 'prepare', sequence, round, message.signed.payload.digest)
        case 'commit':
          noteCommit(author, sequence, round)
          return note(author, 'commit', sequence, round, message.signed.payload.digest)
        case 'round-change':
          noteRoundChange(author, sequence, round, message.signed.payload.prepared?.round ?? -1)
          return notePrepares(message.prepares)
      }
    },
    sealed: ({ header }) => {
      const { round, seals } = decodeExtraData(header.extraData)
      const digest = qbftSealHash(header)
      for (const seal of seals) {
        const signer = sealSigner(digest, seal)
        if (signer !== undefined && isHonest(signer)) note(signer, 'seal', header.number, round, digest)
      }
    },
  }
}

import type { PreparedCertificate, SignedPrepare } from '../../../core/qbft/message.ts'
import { proposalDigest } from '../../../core/qbft/codec/roundOfBlock.ts'
import type { Message } from '../world/actions.ts'
import type { Knowledge } from './knowledge.ts'
import { blockAt, signPrepare } from './signing.ts'

/** A certificate that the Byzantine members can show, and whether it proves anything. */
export type Forged = { readonly certificate: PreparedCertificate; readonly isValid: boolean }

const honestPrepares = (
  heard: readonly Message[],
  round: number,
  digestName: string,
): readonly SignedPrepare[] => {
  const byAuthor = new Map<number, SignedPrepare>()
  for (const { decoded, author, digest, round: of } of heard)
    if (decoded?.kind === 'prepare' && of === round && digest === digestName)
      byAuthor.set(author, decoded.signed)
  return [...byAuthor.values()]
}

/** Fills up with prepares of the same author, so that only a rule that counts authors sees what is missing. */
const filled = (prepares: readonly SignedPrepare[], count: number): readonly SignedPrepare[] =>
  prepares.length === 0 || prepares.length >= count
    ? prepares
    : [...prepares, ...Array.from({ length: count - prepares.length }, () => prepares[0] as SignedPrepare)]

/**
 * For each known block and round the certificate with their own prepares and as many honest ones as were heard: a valid one
 * where they are enough, else two false ones, of too few prepares and of one author's prepares several times.
 */
export const forgeCertificates = (knowledge: Knowledge): readonly Forged[] => {
  const { world, chain, heard, known, rounds, oddRounds } = knowledge
  const quorum = world.quorumAt(chain)
  return rounds.flatMap(round =>
    known.flatMap(value =>
      [...new Set([round, ...oddRounds])].flatMap((carried): readonly Forged[] => {
        const block = blockAt(world, value, carried)
        const own = world.scope.byzantine.map(author => signPrepare(knowledge, author, round, block))
        const digest = proposalDigest(block)
        const others = honestPrepares(heard, round, world.blocks.digestName(digest))
        const prepares = [...own, ...others]
        const make = (list: readonly SignedPrepare[]): PreparedCertificate => ({
          block,
          round,
          digest,
          prepares: list,
        })
        if (prepares.length >= quorum) return [{ certificate: make(prepares), isValid: true }]
        return [
          { certificate: make(filled(prepares, quorum)), isValid: false },
          { certificate: make(prepares), isValid: false },
        ]
      }),
    ),
  )
}

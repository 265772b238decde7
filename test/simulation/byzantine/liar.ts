import type { Address } from '../../../core/bytes/bytes.ts'
import { decodeMessage } from '../../../core/qbft/codec/message.ts'
import {
  decodePosition,
  encodePosition,
  type Position,
  POSITION_CODES,
} from '../../../core/qbft/codec/position.ts'
import { proposalDigest } from '../../../core/qbft/codec/roundOfBlock.ts'
import {
  type PreparedCertificate,
  type ProposalMessage,
  QBFT_CODES,
  type RoundChangeMessage,
} from '../../../core/qbft/message.ts'
import {
  type Attack,
  type Attacker,
  freshBlock,
  othersOf,
  prepareOf,
  proposalOf,
  roundChangeOf,
  sendTo,
} from './attacker.ts'

const CERTIFICATES_MAX = 8

/** A round change that says something else than what its author knows. */
const lie = (
  attacker: Attacker,
  { signed }: RoundChangeMessage,
  known: readonly PreparedCertificate[],
): RoundChangeMessage => {
  const { random } = attacker
  const { sequence, round } = signed.payload
  const at = { sequence, round }
  const older = known.filter(certificate => certificate.round < round)
  const certificate = older.length === 0 ? undefined : random.pick(older)
  switch (random.below(4)) {
    case 0:
      // Less than it prepared: nothing.
      return roundChangeOf(attacker, at, undefined, undefined)
    case 1:
      // Less: an older certificate.
      if (certificate !== undefined) return roundChangeOf(attacker, at, certificate, certificate)
      return roundChangeOf(attacker, at, undefined, undefined)
    case 2: {
      // A later round than any, of a block of its own: with no prepares, those of another block, or its own many times.
      const block = freshBlock(attacker, Math.max(0, round - 1))
      const prepared = { round: Math.max(0, round - 1), digest: proposalDigest(block) }
      const own = prepareOf(attacker, { sequence, ...prepared }).signed
      const copies = Array.from({ length: othersOf(attacker).length }, () => own)
      const prepares = random.chance(0.5) ? copies : (certificate?.prepares ?? [])
      return roundChangeOf(attacker, at, prepared, { block, prepares })
    }
    default: {
      // What was prepared, claimed of a later round than it was.
      if (certificate === undefined) return roundChangeOf(attacker, at, undefined, undefined)
      const prepared = { round: round - 1, digest: certificate.digest }
      return roundChangeOf(attacker, at, prepared, certificate)
    }
  }
}

/** A new block where an old one must be proposed again, or round changes left out so that none has to be. */
const twist = (attacker: Attacker, message: ProposalMessage): ProposalMessage => {
  const { random } = attacker
  const { sequence, round } = message.signed.payload
  const at = { sequence, round }
  const { roundChanges, prepares } = message
  const unprepared = roundChanges.filter(({ payload }) => payload.prepared === undefined)
  switch (random.below(4)) {
    case 0:
      return proposalOf(attacker, at, freshBlock(attacker, round), { roundChanges: unprepared, prepares: [] })
    case 1:
      return proposalOf(attacker, at, freshBlock(attacker, round), { roundChanges, prepares })
    case 2:
      return proposalOf(attacker, at, freshBlock(attacker, round), { roundChanges: [], prepares: [] })
    default:
      return message
  }
}

/** Where it is not: ahead or behind, by little or much. */
const elsewhere = ({ random }: Attacker, { sequence, round }: Position): Position => ({
  sequence: sequence + BigInt(random.pick([0, 0, 1, 5, 1_000_000])),
  round: random.pick([round, -1, round + 1, round + 7, 1_000_000_000]),
})

/** Does its duty until it comes to round changes, or tells where it is; then it lies about what was prepared, when it asks and when it proposes. */
export const liar: Attack = attacker => {
  const { plain, node } = attacker
  const known: PreparedCertificate[] = []
  let height = 0n

  const learn = (): void => {
    const at = node.state()?.height
    if (at === undefined) return
    if (at.sequence !== height) known.length = 0
    height = at.sequence
    const { certificate } = at
    if (certificate !== undefined && !known.includes(certificate) && known.length < CERTIFICATES_MAX)
      known.push(certificate)
  }

  const lieTo = (to: readonly Address[], code: number, data: Uint8Array): boolean => {
    const decoded = decodeMessage(code, data)
    if (decoded.kind === 'round-change') sendTo(attacker, to, lie(attacker, decoded, known))
    else if (decoded.kind === 'proposal' && decoded.signed.payload.round > 0)
      sendTo(attacker, to, twist(attacker, decoded))
    else return false
    return true
  }

  return {
    ...plain,
    send: effect => {
      learn()
      const { code, data } = effect.message
      const isOf = code === QBFT_CODES['round-change'] || code === QBFT_CODES.proposal
      const to = effect.kind === 'broadcast' ? effect.to : effect.kind === 'send' ? [effect.to] : undefined
      if (to === undefined || !isOf || !lieTo(to, code, data)) plain.send(effect)
    },
    inform: effect => {
      const { code, data } = effect.message
      if (code !== POSITION_CODES.position) return plain.inform(effect)
      plain.inform({ ...effect, message: encodePosition(elsewhere(attacker, decodePosition(data))) })
    },
    receive: (message, from) => {
      learn()
      plain.receive(message, from)
    },
  }
}

import type { PreparedCertificate, SignedPrepare, SignedRoundChange } from '../../../core/qbft/message.ts'
import type { Message } from '../world/actions.ts'
import { forgeCertificates } from './certificates.ts'
import type { Forge, Knowledge } from './knowledge.ts'
import { blockAt, named, signProposal, signRoundChange } from './signing.ts'

/** A signed round change with the prepares of its certificate, which a justification may repeat. */
type Change = {
  readonly author: number
  readonly signed: SignedRoundChange
  readonly prepares: readonly SignedPrepare[]
}

const honestChanges = ({ heard }: Knowledge, round: number): readonly Change[] =>
  heard.flatMap(({ decoded, author, round: of, name }) =>
    decoded?.kind === 'round-change' && of === round && name.endsWith(' ok')
      ? [{ author, signed: decoded.signed, prepares: decoded.prepares }]
      : [],
  )

const ownChanges = (
  knowledge: Knowledge,
  author: number,
  round: number,
  certificates: readonly PreparedCertificate[],
): readonly Change[] =>
  [undefined, ...certificates.filter(certificate => certificate.round < round)].map(certificate => {
    const prepared =
      certificate === undefined ? undefined : { round: certificate.round, digest: certificate.digest }
    const signed = signRoundChange(knowledge, author, round, prepared)
    return { author, signed, prepares: certificate?.prepares ?? [] }
  })

/** Every choice of at most one round change of each author. */
const choices = (changes: readonly Change[]): readonly (readonly Change[])[] => {
  const byAuthor = Map.groupBy(changes, ({ author }) => author)
  return [...byAuthor.values()].reduce<readonly (readonly Change[])[]>(
    (all, ofAuthor) => all.flatMap(some => [some, ...ofAuthor.map(change => [...some, change])]),
    [[]],
  )
}

const preparedRound = ({ signed }: Change): number => signed.payload.prepared?.round ?? -1

/** The prepares that belong to the round change with the highest prepared round, and none. */
const preparesFor = (changes: readonly Change[]): readonly (readonly SignedPrepare[])[] => {
  const [best] = changes.toSorted((one, other) => preparedRound(other) - preparedRound(one))
  return best === undefined || preparedRound(best) < 0 ? [[]] : [best.prepares, []]
}

/**
 * In each round whose proposer is Byzantine, every known block with every justification: each set of honest and own round
 * changes, none, and a quorum of one author's. In round 0 also with a justification, which must not have one.
 */
export const forgeProposals: Forge = knowledge => {
  const { world, chain, known, blocks, rounds, oddRounds } = knowledge
  const quorum = world.quorumAt(chain)
  const certificates = forgeCertificates(knowledge)
    .filter(({ isValid }) => isValid)
    .map(({ certificate }) => certificate)
  return rounds.flatMap(round => {
    const author = world.proposerAt(chain, round)
    if (!world.scope.byzantine.includes(author)) return []
    const propose = (
      value: string,
      carried: number,
      changes: readonly Change[],
      prepares: readonly SignedPrepare[],
    ): Message => {
      const signed = signProposal(knowledge, author, round, blockAt(world, value, carried))
      return named(knowledge, author, {
        kind: 'proposal',
        signed,
        roundChanges: changes.map(change => change.signed),
        prepares,
      })
    }
    const own = world.scope.byzantine.flatMap(member => ownChanges(knowledge, member, round, certificates))
    if (round === 0)
      return [
        ...blocks.map(value => propose(value, 0, [], [])),
        ...blocks.slice(0, 1).map(value => propose(value, 0, own.slice(0, 1), [])),
      ]
    const [first] = own
    const repeated = first === undefined ? [] : [Array.from({ length: quorum }, () => first)]
    const sets = [
      ...choices([...honestChanges(knowledge, round), ...own]).filter(({ length }) => length >= quorum - 1),
      [],
      ...repeated,
    ]
    return sets.flatMap(changes =>
      preparesFor(changes).flatMap(prepares =>
        known.flatMap(value =>
          [...new Set([round, ...oddRounds])].map(carried => propose(value, carried, changes, prepares)),
        ),
      ),
    )
  })
}

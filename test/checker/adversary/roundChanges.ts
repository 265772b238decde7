import type { PreparedCertificate } from '../../../core/qbft/message.ts'
import type { Message } from '../world/actions.ts'
import { forgeCertificates } from './certificates.ts'
import { FAR_ROUND, type Forge, type Knowledge } from './knowledge.ts'
import { named, signRoundChange } from './signing.ts'

const roundChange = (
  knowledge: Knowledge,
  author: number,
  round: number,
  certificate: PreparedCertificate | undefined,
): Message => {
  const prepared =
    certificate === undefined ? undefined : { round: certificate.round, digest: certificate.digest }
  return named(knowledge, author, {
    kind: 'round-change',
    signed: signRoundChange(knowledge, author, round, prepared),
    block: certificate?.block,
    prepares: certificate?.prepares ?? [],
  })
}

/** For each round above 0 a round change without a certificate and with each true and false one, later rounds' included. */
export const forgeRoundChanges: Forge = knowledge => {
  const { world, rounds } = knowledge
  const certificates = forgeCertificates(knowledge)
  const targets = [...rounds.filter(round => round > 0), ...(world.scope.odd ? [FAR_ROUND] : [])]
  return world.scope.byzantine.flatMap(author =>
    targets.flatMap(round => [
      roundChange(knowledge, author, round, undefined),
      ...certificates.map(({ certificate }) => roundChange(knowledge, author, round, certificate)),
    ]),
  )
}

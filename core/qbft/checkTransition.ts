import { equalBytes } from '../bytes/bytes.ts'
import { verdictOn } from './actions/verdicts.ts'
import type { Effect, EffectOf } from './effect.ts'
import { assertInvariant } from './invariant.ts'
import type { HeightState, QbftState } from './state.ts'
import { keyOf } from './transitionContext.ts'

const SIGNED_KINDS = ['proposed', 'prepared', 'committed'] as const

const checkSignatures = (before: HeightState, after: HeightState): void => {
  const [old, signed] = [before.signed, after.signed]
  assertInvariant(
    signed.round >= old.round,
    'signed-once',
    () => `round ${signed.round} after round ${old.round}`,
  )
  if (signed.round !== old.round) return
  for (const kind of SIGNED_KINDS) {
    const [first, second] = [old[kind], signed[kind]]
    const isKept = first === undefined || (second !== undefined && equalBytes(first, second))
    assertInvariant(isKept, 'signed-once', () => `another value is ${kind} in round ${signed.round}`)
  }
}

const checkLock = (before: HeightState, after: HeightState): void => {
  const [old, certificate] = [before.certificate, after.certificate]
  if (certificate === old) return
  // After a restart its round may be prepared again.
  assertInvariant(
    certificate !== undefined && certificate.round >= (old?.round ?? 0),
    'lock-kept',
    () => `round ${certificate?.round ?? 'none'} after round ${old?.round ?? 'none'}`,
  )
  assertInvariant(
    certificate.prepares.length >= after.quorum,
    'lock-has-quorum',
    () => `${certificate.prepares.length} prepares, a quorum is ${after.quorum}`,
  )
}

const checkRound = (before: HeightState, after: HeightState): void => {
  const [old, round] = [before.round, after.round]
  // A validator that waits for transactions takes back round 0, in which it has sent nothing.
  const hasRisen = old === undefined || (round === undefined ? old.round === 0 : round.round >= old.round)
  assertInvariant(
    hasRisen,
    'rounds-rise',
    () => `round ${round?.round ?? 'none'} after round ${old?.round ?? 'none'}`,
  )
  const accepted = round?.proposal
  if (accepted === undefined || accepted === old?.proposal) return
  const verdict = verdictOn(after, accepted.hash)?.state ?? 'none'
  assertInvariant(verdict === 'valid', 'accepted-was-verified', () => `the verdict is ${verdict}`)
}

const checkSizes = ({ head, roundChanges, round }: HeightState): void => {
  const most = Math.max(roundChanges.size, round?.prepares.size ?? 0, round?.commits.size ?? 0)
  const { length } = head.validators
  assertInvariant(most <= length, 'one-vote-each', () => `${most} of ${length} validators`)
}

const checkImport = (height: HeightState, { sealers, hash }: EffectOf<'import-block'>): void => {
  const different = new Set(sealers.flatMap(sealer => (sealer === undefined ? [] : [keyOf(sealer)]))).size
  assertInvariant(
    different === sealers.length && different >= height.quorum,
    'sealed-by-quorum',
    () => `${different} signers of ${sealers.length} seals, a quorum is ${height.quorum}`,
  )
  // A verdict may have been displaced by later ones since the proposal was accepted.
  const verdict = verdictOn(height, hash)?.state ?? 'valid'
  assertInvariant(verdict === 'valid', 'sealed-was-verified', () => `the verdict is ${verdict}`)
}

const isSent = ({ kind }: Effect): boolean => kind === 'broadcast' || kind === 'send'

const checkRecord = (
  before: HeightState | undefined,
  { signed, certificate, head }: HeightState,
  effects: readonly Effect[],
): void => {
  const isOld = before?.signed === signed && before.certificate === certificate
  const sent = effects.findIndex(isSent)
  if (isOld || sent < 0 || head.validators.length === 1) return
  const record = effects.findIndex(({ kind }) => kind === 'record')
  assertInvariant(
    record >= 0 && record < sent,
    'record-before-signature',
    () => `the record is effect ${record}, the first message effect ${sent}`,
  )
}

const checkEffects = (before: QbftState, height: HeightState, effects: readonly Effect[]): void => {
  for (const effect of effects) {
    const isOwn = isSent(effect) || effect.kind === 'start-timer'
    assertInvariant(height.active || !isOwn, 'silent-when-inactive', () => effect.kind)
    if (effect.kind === 'import-block') checkImport(height, effect)
    if (effect.kind === 'start-timer')
      assertInvariant(
        effect.timer.sequence === height.sequence,
        'timer-of-height',
        () => `${effect.timer.kind} of height ${effect.timer.sequence} at height ${height.sequence}`,
      )
  }
  const old = before.height?.sequence === height.sequence ? before.height : undefined
  checkRecord(old, height, effects)
}

/** Checks what must hold after each transition. Costs a look at the effects and some comparisons. @throws InvariantBroken */
export const checkTransition = (
  before: QbftState,
  { height }: QbftState,
  effects: readonly Effect[],
): void => {
  const old = before.height
  assertInvariant(
    old === undefined || (height !== undefined && height.sequence >= old.sequence),
    'heights-rise',
    () => `height ${height?.sequence ?? 'none'} after height ${old?.sequence ?? 'none'}`,
  )
  if (height === undefined || height === old) return
  checkEffects(before, height, effects)
  checkSizes(height)
  if (old?.sequence !== height.sequence) return
  checkSignatures(old, height)
  checkLock(old, height)
  // A height begins again when consensus was paused meanwhile.
  if (old.head === height.head) checkRound(old, height)
}

/** A mistake somebody could make: one place of the machine, written otherwise. */
export type PlantedBug = {
  readonly name: string
  readonly file: string
  /** Stands there exactly once. */
  readonly text: string
  readonly instead: string
  /** The first seed that found it. */
  readonly foundBy: number
  /** How that shows. */
  readonly shows: RegExp
}

export const PLANTED_BUGS: readonly PlantedBug[] = [
  {
    name: 'quorum off by one',
    file: 'core/validators/quorum.ts',
    text: 'Math.ceil((2 * validators) / 3)',
    instead: 'Math.ceil((2 * validators) / 3) - 1',
    foundBy: 1,
    shows: /keeps a certificate that proves nothing|not final|quorum/,
  },
  {
    name: 'prepared lock forgotten',
    file: 'core/qbft/actions/rounds.ts',
    text: '    ownRoundChange: undefined,\n',
    instead: '    ownRoundChange: undefined,\n    certificate: undefined,\n',
    foundBy: 1,
    shows: /the invariant lock-kept is broken/,
  },
  {
    name: 'seal not checked',
    file: 'core/qbft/rules/commit.ts',
    text: 'sealer !== undefined && equalBytes(sealer, author)',
    instead: 'sealer === undefined || author !== undefined',
    foundBy: 66,
    shows: /the invariant sealed-by-quorum is broken/,
  },
  {
    name: 'justification not checked',
    file: 'core/qbft/rules/proposal.ts',
    text: 'blockRoundRule(message) ?? (round === 0 ? firstRoundRule(message) : laterRoundRule(context, message))',
    instead: 'blockRoundRule(message) ?? (round === 0 ? firstRoundRule(message) : undefined)',
    foundBy: 298,
    shows: /took a proposal without justification/,
  },
  {
    name: 'round change without certificate accepted',
    file: 'core/qbft/rules/roundChange.ts',
    text: 'return signedRoundChangeRule(context, signed) ?? certificateRule(context, prepares, prepared)',
    instead: 'return signedRoundChangeRule(context, signed)',
    foundBy: 41,
    shows: /took a round change that nothing proves/,
  },
]

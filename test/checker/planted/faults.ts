/** A mistake that somebody could make: one place of core, written otherwise. */
export type PlantedFault = {
  readonly name: string
  readonly file: string
  /** Stands there exactly once. */
  readonly text: string
  readonly instead: string
  /** Bounds within which it is found. */
  readonly bounds: string
  /** Every so many-th state is run on in a good network; 0 where a rule of safety shows the fault. */
  readonly progressEvery: number
  /** How it shows. */
  readonly shows: RegExp
}

const safety = { progressEvery: 0 } as const

export const PLANTED_FAULTS: readonly PlantedFault[] = [
  {
    ...safety,
    name: 'quorum-off-by-one',
    file: 'core/validators/quorum.ts',
    text: 'Math.ceil((2 * validators) / 3)',
    instead: 'Math.ceil((2 * validators) / 3) - 1',
    bounds: '',
    shows: /proves nothing|nothing proves|without justification|two blocks/,
  },
  {
    ...safety,
    name: 'lock-forgotten',
    file: 'core/qbft/actions/rounds.ts',
    text: '    ownRoundChange: undefined,\n',
    instead: '    ownRoundChange: undefined,\n    certificate: undefined,\n',
    bounds: '',
    shows: /forgot its lock|lock-kept/,
  },
  {
    ...safety,
    name: 'round-change-unproven',
    file: 'core/qbft/rules/roundChange.ts',
    text: 'return signedRoundChangeRule(context, signed) ?? certificateRule(context, prepares, prepared)',
    instead: 'return signedRoundChangeRule(context, signed)',
    bounds: '--byzantine=3 --values=1',
    shows: /accepted a round change that nothing proves/,
  },
  {
    ...safety,
    name: 'another-block-than-prepared',
    file: 'core/qbft/rules/proposal.ts',
    text: 'blockRoundRule(message) ?? (round === 0 ? firstRoundRule(message) : laterRoundRule(context, message))',
    instead: 'blockRoundRule(message) ?? (round === 0 ? firstRoundRule(message) : undefined)',
    bounds: '--byzantine=1 --values=1',
    shows: /accepted a proposal without justification/,
  },
  {
    ...safety,
    name: 'seal-unchecked',
    file: 'core/qbft/rules/commit.ts',
    text: 'sealer !== undefined && equalBytes(sealer, author)',
    instead: 'sealer === undefined || author !== undefined',
    bounds: '--byzantine=3 --values=1 --rounds=1 --commits',
    shows: /seal/,
  },
  {
    ...safety,
    name: 'lock-not-recorded',
    file: 'core/qbft/handle/head.ts',
    text: 'certificate: isOwn ? restart.certificate : undefined',
    instead: 'certificate: undefined',
    bounds: '--crashes=1 --victim=0',
    shows: /forgot its lock|lock-kept/,
  },
  {
    ...safety,
    name: 'sender-counted-twice',
    file: 'core/qbft/rules/signers.ts',
    text: 'if (includesAddress(authors, author)) return',
    instead: 'if (authors.length > context.validators.length) return',
    bounds: '--byzantine=3 --values=1',
    shows: /an author has two prepares/,
  },
  {
    ...safety,
    name: 'round-left-unrecorded',
    file: 'core/qbft/actions/signing.ts',
    text: ': { height: { ...height, signed: signedIn(signed, round) }, signed: made }',
    instead: ': { height, signed: made }',
    bounds: '--crashes=1',
    shows: /record/,
  },
  {
    ...safety,
    name: 'commit-of-another-round',
    file: 'core/qbft/actions/signing.ts',
    text: 'const { header } = withRound(block, at.round)',
    instead: 'const { header } = withRound(block, 0)',
    bounds: '',
    shows: /sent what nothing proves: .*!seal/,
  },
  {
    ...safety,
    name: 'verification-skipped',
    file: 'core/qbft/handle/proposal.ts',
    text: "if (verdict?.state === 'valid') return yield*",
    instead: "if (verdict?.state !== 'invalid') return yield*",
    bounds: '',
    shows: /did not verify|accepted-was-verified/,
  },
  {
    ...safety,
    name: 'signature-before-record',
    file: 'core/qbft/restart/record.ts',
    text: "    { kind: 'record', record: { ...signed, certificate } },\n    ...effects.filter(effect => !isWork(effect)),\n",
    instead:
      "    ...effects.filter(effect => !isWork(effect)),\n    { kind: 'record', record: { ...signed, certificate } },\n",
    bounds: '',
    shows: /no record|record-before-signature/,
  },
  {
    name: 'one-round-change-moves-all',
    file: 'core/qbft/actions/roundChanges.ts',
    text: 'return higher.length > faultsOf(',
    instead: 'return higher.length >= faultsOf(',
    bounds: '--byzantine=3 --values=1',
    progressEvery: 1,
    shows: /blocks in|rounds/,
  },
  {
    name: 'timeout-never-grows',
    file: 'core/qbft/actions/timeouts.ts',
    text: 'const ready = Math.ceil(',
    instead: 'if (failedRounds >= 0) return requestTimeoutMs\n  const ready = Math.ceil(',
    bounds: '',
    progressEvery: 1,
    shows: /blocks in/,
  },
  {
    name: 'one-claim-silences',
    file: 'core/qbft/restart/recall.ts',
    text: '.sort(compare)[positionsNeeded(recall, height) - 1]',
    instead: '.sort(compare)[reports.length < positionsNeeded(recall, height) ? -1 : reports.length - 1]',
    bounds: '--byzantine=3 --values=1 --crashes=1',
    progressEvery: 1,
    shows: /restarted, and votes/,
  },
  {
    name: 'one-silent-member-silences',
    file: 'core/qbft/restart/recall.ts',
    text: 'quorum - 1 : Math.max(quorum - 1, validators - quorum + 1)',
    instead: 'validators - 1 : validators - 1',
    bounds: '--byzantine=3 --values=1 --crashes=1',
    progressEvery: 1,
    shows: /restarted, and votes|blocks in/,
  },
]

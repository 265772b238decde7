import { setBounded } from '../../../core/collections/boundedMap.ts'
import { toHex } from '../../../core/bytes/hex.ts'
import { keccak256 } from '../../../core/crypto/crypto.ts'
import type { Evidence } from '../../../core/qbft/effect.ts'
import type { WireMessage } from '../../../core/qbft/message.ts'
import type { Log } from '../../logging/log.ts'
import { EVIDENCE_MAX, evidenceKey, type ValidatorFiles } from './validatorFiles.ts'

/** Longer messages, proposals of large blocks, are stored as a hash, which bounds all evidence to about 100 MB. */
const STORED_MESSAGE_BYTES_MAX = 256 * 1024

/** Pairs remembered to log each once a minute, although the second signature arrives from several peers. */
const LOGGED_MAX = 1_000
const LOG_INTERVAL_MS = 60_000

export type EvidenceStore = {
  /** Logs evidence, at most once a minute for the same pair, and stores it durably the first time. */
  keep(evidence: Evidence): Promise<void>
}

const messageJson = ({ code, data }: WireMessage): object =>
  data.length > STORED_MESSAGE_BYTES_MAX
    ? { code, bytes: data.length, keccak: toHex(keccak256(data)) }
    : { code, data: toHex(data) }

const encode = ({ author, sequence, round, first, second }: Evidence): string =>
  JSON.stringify({
    author: toHex(author),
    sequence: sequence.toString(),
    round,
    first: messageJson(first),
    second: messageJson(second),
  })

type Logged = { atMs: number; kept: string }

/** Stores conflicting signed messages of a validator as JSON, one key each, for operators to examine. */
export const createEvidenceStore = (
  files: Pick<ValidatorFiles, 'has' | 'set' | 'where'>,
  log: Log,
  nowMs: () => number = Date.now,
): EvidenceStore => {
  const keptAt = (index: number | undefined): string => {
    if (index === undefined) return 'They could not be kept.'
    return index < EVIDENCE_MAX
      ? `Both are kept in ${files.where(evidenceKey(index))}.`
      : `${EVIDENCE_MAX} such pairs are kept already.`
  }
  const logged = new Map<string, Logged>()
  let next: Promise<number> | undefined

  const firstFree = async (): Promise<number> => {
    for (let index = 0; index < EVIDENCE_MAX; index++)
      if (!(await files.has(evidenceKey(index)))) return index
    return EVIDENCE_MAX
  }

  const logEvidence = ({ author, sequence, round, first }: Evidence, kept: string): void =>
    log.error(
      'Validator {author} signed two different messages of code {code} in round {round} of block {sequence}: it is faulty, or two nodes run with its key. {kept}',
      { author: toHex(author), code: first.code, round, sequence, kept },
    )

  /** The index of the next piece; undefined if the files cannot be read. */
  const takeIndex = (): Promise<number | undefined> => {
    const index = next ?? firstFree()
    next = index.then(found => Math.min(found + 1, EVIDENCE_MAX))
    // After a failure the next piece searches again.
    next.catch(() => {
      next = undefined
    })
    return index.catch((error: unknown) => {
      log.error('The kept evidence cannot be read: {error}. This piece is logged, and not kept', { error })
      return undefined
    })
  }

  return {
    keep: async evidence => {
      const { author, sequence, round, first } = evidence
      const name = `${toHex(author)} ${sequence} ${round} ${first.code}`
      const before = logged.get(name)
      if (before !== undefined) {
        if (nowMs() - before.atMs < LOG_INTERVAL_MS) return
        before.atMs = nowMs()
        return logEvidence(evidence, before.kept)
      }
      const entry: Logged = { atMs: nowMs(), kept: 'It is being kept.' }
      setBounded(logged, name, entry, LOGGED_MAX)
      const at = await takeIndex()
      entry.kept = keptAt(at)
      logEvidence(evidence, entry.kept)
      if (at !== undefined && at < EVIDENCE_MAX) await files.set(evidenceKey(at), encode(evidence))
    },
  }
}

import { toHex } from '../../core/bytes/hex.ts'
import { keccak256 } from '../../core/crypto/crypto.ts'
import type { Evidence } from '../../core/qbft/effect.ts'
import type { WireMessage } from '../../core/qbft/message.ts'
import type { KeyValueStore } from '../../core/store/keyvalue.ts'
import type { Log } from '../logging/log.ts'

/** Kept pieces; the first ones tell who signs twice, further ones tell it again. */
const EVIDENCE_MAX = 100

/** A longer message, a proposal of a large block, is kept by its hash: the pieces together stay within some 100 MB. */
const MESSAGE_BYTES_MAX = 256 * 1024

/** Pieces remembered to say each once, although the second signature arrives by several peers. */
const TOLD_MAX = 1_000

/** Beside the keys of the chain (core/store/keys.ts), `qbft:evidence:0` to `qbft:evidence:99`. */
const evidenceKey = (index: number): string => `qbft:evidence:${index}`

export type EvidenceStore = {
  /** Logs it and keeps it durably, the first time. */
  keep(evidence: Evidence): Promise<void>
}

const messageJson = ({ code, data }: WireMessage): object =>
  data.length > MESSAGE_BYTES_MAX
    ? { code, bytes: data.length, keccak: toHex(keccak256(data)) }
    : { code, data: toHex(data) }

const encode = ({ author, sequence, round, first, second }: Evidence): Uint8Array =>
  new TextEncoder().encode(
    JSON.stringify({
      author: toHex(author),
      sequence: sequence.toString(),
      round,
      first: messageJson(first),
      second: messageJson(second),
    }),
  )

/** What validators signed that no honest one signs, as JSON under a key for each piece, for the operators to look into. */
export const createEvidenceStore = (
  storage: Pick<KeyValueStore, 'get' | 'setDurably'>,
  log: Log,
): EvidenceStore => {
  const told = new Set<string>()
  let next: Promise<number> | undefined

  const firstFree = async (): Promise<number> => {
    for (let index = 0; index < EVIDENCE_MAX; index++)
      if ((await storage.get(evidenceKey(index))) === undefined) return index
    return EVIDENCE_MAX
  }

  return {
    keep: async evidence => {
      const { author, sequence, round, first } = evidence
      const name = `${toHex(author)} ${sequence} ${round} ${first.code}`
      if (told.has(name)) return
      told.add(name)
      const [oldest] = told
      if (told.size > TOLD_MAX && oldest !== undefined) told.delete(oldest)
      const index = next ?? firstFree()
      next = index.then(found => Math.min(found + 1, EVIDENCE_MAX))
      // A storage that fails now is asked again for the next piece.
      next.catch(() => {
        next = undefined
      })
      const at = await index.catch((error: unknown) => {
        log.error('The storage of evidence cannot be read: {error}', { error })
        return undefined
      })
      log.error(
        'Validator {author} signed two different messages of code {code} in round {round} of block {sequence}: it is faulty, or two nodes run with its key. {kept}',
        {
          author: toHex(author),
          code: first.code,
          round,
          sequence,
          kept:
            at === undefined
              ? 'They could not be kept.'
              : at < EVIDENCE_MAX
                ? `Both are kept under ${evidenceKey(at)} in the storage.`
                : `${EVIDENCE_MAX} such pairs are kept already.`,
        },
      )
      if (at !== undefined && at < EVIDENCE_MAX)
        await storage.setDurably({ key: evidenceKey(at), value: encode(evidence) })
    },
  }
}

import { expect } from 'bun:test'
import { toHex } from '../../../../core/bytes/hex.ts'
import { qbftSealHash } from '../../../../core/chain/codec/blockHash.ts'
import { decodeExtraData } from '../../../../core/chain/codec/extraData.ts'
import { sealSigner } from '../../../../core/chain/codec/seal.ts'
import { decodeMessage } from '../../../../core/qbft/codec/message.ts'
import type { Effect } from '../../../../core/qbft/effect.ts'
import { QBFT_CODES, type QbftMessage, type WireMessage } from '../../../../core/qbft/message.ts'
import type { RestartRecord } from '../../../../core/qbft/restartRecord.ts'
import { authorOf } from '../../../../core/qbft/signing.ts'
import { quorumOf } from '../../../../core/validators/quorum.ts'
import type { Key } from '../../chain/support/keys.ts'

type Kind = Exclude<QbftMessage['kind'], 'round-change'>

const NAMES = { proposal: 'proposed', prepare: 'prepared', commit: 'committed' } as const

const digestIn = (message: Exclude<QbftMessage, { readonly kind: 'round-change' }>): string =>
  toHex(
    message.kind === 'proposal'
      ? qbftSealHash(message.signed.payload.block.header)
      : message.signed.payload.digest,
  )

/** The records that stand when an effect is performed. */
export type Records = {
  readonly written: RestartRecord | undefined
  readonly durable: RestartRecord | undefined
}

export type Witness = {
  /** Looks at an effect that was performed. */
  see(effect: Effect, records: Records): void
  /** How many different messages of the kind left. */
  count(kind: QbftMessage['kind']): number
}

/**
 * Sees everything that leaves one validator over all its lives, and fails a test when it signs two values, signs what no
 * record stands for, or no durable one, goes back behind a round change, or forgets what it committed.
 */
export const createWitness = (own: Key, keys: readonly Key[]): Witness => {
  /** By height, round and kind: what was signed. */
  const values = new Map<string, string>()
  const left = new Map<string, QbftMessage['kind']>()
  /** By height: the highest round asked for, and the rounds committed in. */
  const asked = new Map<bigint, number>()
  const committed = new Map<bigint, number[]>()

  const seeValue = (message: QbftMessage & { readonly kind: Kind }, { written, durable }: Records): void => {
    const { sequence, round } = message.signed.payload
    const digest = digestIn(message)
    const key = `${message.kind} of height ${sequence}, round ${round}`
    expect(`${key}: ${values.get(key) ?? digest}`).toBe(`${key}: ${digest}`)
    values.set(key, digest)
    const valueIn = (record: RestartRecord | undefined): string | undefined => {
      if (record?.sequence !== sequence || record.round !== round) return undefined
      const value = record[NAMES[message.kind]]
      return value && toHex(value)
    }
    expect(`recorded ${key}: ${valueIn(written)}`).toBe(`recorded ${key}: ${digest}`)
    const isReserved = durable?.sequence === sequence && durable.round === round && durable.reserved
    if (message.kind === 'commit' || !isReserved)
      expect(`durable ${key}: ${valueIn(durable)}`).toBe(`durable ${key}: ${digest}`)
    expect(round).toBeGreaterThanOrEqual(asked.get(sequence) ?? 0)
    if (message.kind === 'commit') committed.set(sequence, [...(committed.get(sequence) ?? []), round])
  }

  const seeMessage = (wire: WireMessage, records: Records): void => {
    const message = decodeMessage(wire.code, wire.data)
    expect(authorOf(QBFT_CODES[message.kind], message.signed)).toEqual(own.address)
    const id = toHex(wire.data)
    // What left before may be sent again at any time.
    if (left.has(id)) return
    left.set(id, message.kind)
    if (message.kind !== 'round-change') return seeValue(message, records)
    const { sequence, round, prepared } = message.signed.payload
    expect(records.durable?.sequence).toBe(sequence)
    expect(records.durable?.round).toBe(round)
    const locked = Math.max(-1, ...(committed.get(sequence) ?? []).filter(before => before < round))
    expect(prepared?.round ?? -1).toBeGreaterThanOrEqual(locked)
    asked.set(sequence, Math.max(round, asked.get(sequence) ?? 0))
  }

  const seeImport = ({ block }: Extract<Effect, { readonly kind: 'import-block' }>): void => {
    const { seals } = decodeExtraData(block.header.extraData)
    const signers = new Set(
      seals.map(seal => toHex(sealSigner(qbftSealHash(block.header), seal) ?? new Uint8Array(0))),
    )
    expect(signers.size).toBe(seals.length)
    expect(signers.size).toBeGreaterThanOrEqual(quorumOf(keys.length))
    for (const { address } of keys) signers.delete(toHex(address))
    expect([...signers]).toEqual([])
  }

  return {
    see: (effect, records) => {
      if (effect.kind === 'broadcast' || effect.kind === 'send') seeMessage(effect.message, records)
      if (effect.kind === 'import-block') seeImport(effect)
    },
    count: kind => [...left.values()].filter(other => other === kind).length,
  }
}

import { expect } from 'bun:test'
import { toHex } from '../../../../core/bytes/hex.ts'
import { qbftSealHash } from '../../../../core/block/codec/blockHash.ts'
import { decodeExtraData } from '../../../../core/block/codec/extraData.ts'
import { sealSigner } from '../../../../core/block/codec/seal.ts'
import { decodeMessage } from '../../../../core/qbft/codec/message.ts'
import type { Effect } from '../../../../core/qbft/effect.ts'
import { QBFT_CODES, type QbftMessage, type WireMessage } from '../../../../core/qbft/message.ts'
import type { RestartRecord } from '../../../../core/qbft/restart/restartRecord.ts'
import { authorOf } from '../../../../core/qbft/signatures.ts'
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

export type Witness = {
  /** Checks a performed effect; `durable` is the record that was stored then. */
  see(effect: Effect, durable: RestartRecord | undefined): void
  /** Number of different messages of the kind that were sent. */
  count(kind: QbftMessage['kind']): number
}

/**
 * Observes everything that one validator sends over all restarts, and fails a test when it signs two values, signs without a
 * durable record, returns below a round change, or loses what it committed.
 */
export const createWitness = (own: Key, keys: readonly Key[]): Witness => {
  /** Signed digests by height, round and kind. */
  const values = new Map<string, string>()
  const left = new Map<string, QbftMessage['kind']>()
  /** By height: the highest requested round, and the rounds with a commit. */
  const asked = new Map<bigint, number>()
  const committed = new Map<bigint, number[]>()

  const seeValue = (
    message: QbftMessage & { readonly kind: Kind },
    record: RestartRecord | undefined,
  ): void => {
    const { sequence, round } = message.signed.payload
    const digest = digestIn(message)
    const key = `${message.kind} of height ${sequence}, round ${round}`
    expect(`${key}: ${values.get(key) ?? digest}`).toBe(`${key}: ${digest}`)
    values.set(key, digest)
    const written =
      record?.sequence === sequence && record.round === round ? record[NAMES[message.kind]] : undefined
    expect(`recorded ${key}: ${written && toHex(written)}`).toBe(`recorded ${key}: ${digest}`)
    expect(round).toBeGreaterThanOrEqual(asked.get(sequence) ?? 0)
    if (message.kind === 'commit') committed.set(sequence, [...(committed.get(sequence) ?? []), round])
  }

  const seeMessage = (wire: WireMessage, record: RestartRecord | undefined): void => {
    const message = decodeMessage(wire.code, wire.data)
    expect(authorOf(QBFT_CODES[message.kind], message.signed)).toEqual(own.address)
    const id = toHex(wire.data)
    // Earlier messages may be sent again at any time.
    if (left.has(id)) return
    left.set(id, message.kind)
    if (message.kind !== 'round-change') return seeValue(message, record)
    const { sequence, round, prepared } = message.signed.payload
    expect(record?.sequence).toBe(sequence)
    expect(record?.round).toBe(round)
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
    see: (effect, durable) => {
      if (effect.kind === 'broadcast' || effect.kind === 'send') seeMessage(effect.message, durable)
      if (effect.kind === 'import-block') seeImport(effect)
    },
    count: kind => [...left.values()].filter(other => other === kind).length,
  }
}

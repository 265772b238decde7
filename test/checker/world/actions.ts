import { equalBytes } from '../../../core/bytes/bytes.ts'
import { qbftSealHash } from '../../../core/block/codec/blockHash.ts'
import { decodeMessage } from '../../../core/qbft/codec/message.ts'
import { decodePosition, POSITION_CODES } from '../../../core/qbft/codec/position.ts'
import { withRound } from '../../../core/qbft/codec/roundOfBlock.ts'
import type { PreparedMetadata, QbftMessage, WireMessage } from '../../../core/qbft/message.ts'
import { faultInProposal, faultInRoundChange, type Height } from '../../simulation/checker/justification.ts'
import type { Blocks } from './blocks.ts'
import { beginningOf, type Chain, chainOfDigest } from './chain.ts'
import type { Members } from './members.ts'

/** Every kind of message that the machine takes. */
export type MessageKind = QbftMessage['kind'] | keyof typeof POSITION_CODES

/** A message as the explorer knows it: the machine treats all messages of one name alike. */
export type Message = {
  readonly id: number
  readonly name: string
  readonly kind: MessageKind
  readonly wire: WireMessage
  readonly author: number
  readonly height: number
  readonly round: number
  /** The name of the digest in a vote or of the block in a proposal. */
  readonly digest: string
  /** The name of the certificate that a round change claims. */
  readonly prepared: string
  /** A message of the protocol itself; undefined for positions. */
  readonly decoded: QbftMessage | undefined
}

/** One step of one validator: it hears a message, or something happens to it alone. */
export type Action =
  | { readonly kind: 'hear'; readonly id: number; readonly name: string; readonly message: Message }
  | { readonly kind: 'block-timer' | 'round-timer' | 'wait'; readonly id: number; readonly name: string }
  /** `back` counts restart records from the last one; undefined for none at all. */
  | {
      readonly kind: 'restart'
      readonly id: number
      readonly name: string
      readonly back: number | undefined
    }
  /** A verification or a block production ends. */
  | {
      readonly kind: 'finish'
      readonly id: number
      readonly name: string
      readonly work: string
      readonly isDone: boolean
    }
  /** It imports a block that a quorum signed from somebody else. */
  | { readonly kind: 'download'; readonly id: number; readonly name: string; readonly chain: Chain }

/** Actions and messages by name, numbered in the order in which they first appear. */
export type Actions = {
  readonly all: readonly Action[]
  message(wire: WireMessage, author: number, chain: Chain): Message
  timer(kind: 'block-timer' | 'round-timer' | 'wait'): Action
  restart(back: number | undefined): Action
  finish(work: string, isDone: boolean): Action
  download(chain: Chain): Action
  byName(name: string): Action | undefined
  /** The name of a message that was heard. */
  nameOf(wire: WireMessage): string
  /** The seal of a commit; empty for the digest of no block. */
  sealOf(digestName: string, round: number, author: number): Uint8Array
}

export const preparedName = (blocks: Blocks, prepared: PreparedMetadata | undefined): string =>
  prepared === undefined ? 'none' : `${blocks.digestName(prepared.digest)}:${prepared.round}`

const verdictName = (fault: string | undefined): string =>
  fault === undefined ? 'ok' : `!${fault.replaceAll(' ', '_')}`

const TIMER_NAMES = {
  'block-timer': 'its block timer fires',
  'round-timer': 'its round timer fires',
  wait: 'waits 10 s, and its recall timer fires',
} as const

type Description = Pick<Message, 'kind' | 'height' | 'round' | 'digest' | 'prepared' | 'decoded' | 'name'>

const POSITION_KINDS = new Map<number, keyof typeof POSITION_CODES>(
  (Object.keys(POSITION_CODES) as (keyof typeof POSITION_CODES)[]).map(kind => [POSITION_CODES[kind], kind]),
)

export const createActions = (
  members: Members,
  blocks: Blocks,
  heightOf: (chain: Chain) => Height,
): Actions => {
  const all: Action[] = []
  const names = new Map<string, Action>()
  const wires = new Map<WireMessage, string>()
  const add = <Added extends Action>(name: string, make: (id: number) => Added): Added => {
    const known = names.get(name)
    if (known !== undefined) return known as Added
    const action = make(all.length)
    all.push(action)
    names.set(name, action)
    return action
  }

  const describePosition = (
    kind: keyof typeof POSITION_CODES,
    wire: WireMessage,
    author: number,
  ): Description => {
    const none = { kind, digest: '', prepared: '', decoded: undefined }
    if (kind === 'request') return { ...none, height: 0, round: 0, name: `request a${author}` }
    const { sequence, round } = decodePosition(wire.data)
    return { ...none, height: Number(sequence), round, name: `position a${author} ${sequence}/${round}` }
  }

  /** What the author of a commit must sign: the block with the round of the commit. */
  const sealOf = (digest: string, round: number, author: number): Uint8Array => {
    const block = blocks.named(chainOfDigest(digest))
    if (block === undefined) return new Uint8Array(0)
    return members.signerOf(author)(qbftSealHash(withRound(block, round).header))
  }

  /** Which quorum of valid signatures proves a claim is not part of the name: the machine only checks that one does. */
  const describe = (wire: WireMessage, author: number, chain: Chain): Description => {
    const positionKind = POSITION_KINDS.get(wire.code)
    if (positionKind !== undefined) return describePosition(positionKind, wire, author)
    const decoded = decodeMessage(wire.code, wire.data)
    const { sequence, round } = decoded.signed.payload
    const at = `${decoded.kind} ${sequence}/${round} a${author}`
    const base = { kind: decoded.kind, height: Number(sequence), round, decoded, digest: '', prepared: '' }
    const height = heightOf(beginningOf(chain, Number(sequence) - 1))
    switch (decoded.kind) {
      case 'proposal': {
        const digest = blocks.digestName(qbftSealHash(decoded.signed.payload.block.header))
        return { ...base, digest, name: `${at} ${digest} ${verdictName(faultInProposal(height, decoded))}` }
      }
      case 'prepare': {
        const digest = blocks.digestName(decoded.signed.payload.digest)
        return { ...base, digest, name: `${at} ${digest}` }
      }
      case 'commit': {
        const { digest: hash, commitSeal } = decoded.signed.payload
        const digest = blocks.digestName(hash)
        const isSealed = equalBytes(commitSeal, sealOf(digest, round, author))
        return { ...base, digest, name: `${at} ${digest} ${isSealed ? 'ok' : '!seal'}` }
      }
      case 'round-change': {
        const prepared = preparedName(blocks, decoded.signed.payload.prepared)
        return {
          ...base,
          prepared,
          name: `${at} ${prepared} ${verdictName(faultInRoundChange(height, decoded))}`,
        }
      }
    }
  }

  const hear = (wire: WireMessage, author: number, chain: Chain): Message => {
    const description = describe(wire, author, chain)
    const name = `hears ${description.name}`
    const action = add(name, id => {
      wires.set(wire, description.name)
      return { kind: 'hear' as const, id, name, message: { ...description, id, wire, author } }
    })
    return action.message
  }
  return {
    all,
    message: hear,
    timer: kind => add(TIMER_NAMES[kind], id => ({ kind, id, name: TIMER_NAMES[kind] })),
    restart: back => {
      const from =
        back === undefined ? 'without a record' : back === 0 ? 'from its record' : `from record ${back} back`
      const name = `crashes, and restarts ${from}`
      return add(name, id => ({ kind: 'restart', id, name, back }))
    },
    finish: (work, isDone) => {
      const name = `${isDone ? 'finishes' : 'gives up'} ${work}`
      return add(name, id => ({ kind: 'finish', id, name, work, isDone }))
    },
    download: chain =>
      add(`downloads ${chain}`, id => ({ kind: 'download', id, name: `downloads ${chain}`, chain })),
    byName: name => names.get(name),
    nameOf: wire => wires.get(wire) ?? '?',
    sealOf,
  }
}

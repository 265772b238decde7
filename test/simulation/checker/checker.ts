import { type Address, equalBytes } from '../../../core/bytes/bytes.ts'
import { toHex } from '../../../core/bytes/hex.ts'
import type { Block } from '../../../core/block/block.ts'
import { EMPTY_TRIE_ROOT } from '../../../core/crypto/constants.ts'
import { decodeMessage } from '../../../core/qbft/codec/message.ts'
import type { Effect } from '../../../core/qbft/effect.ts'
import type { QbftMessage, WireMessage } from '../../../core/qbft/message.ts'
import type { QbftState } from '../../../core/qbft/state.ts'
import type { SimulatedGenesis } from '../chain/genesis.ts'
import type { Node } from '../node/node.ts'
import { createAgreedChain, type AgreedChain } from './agreedChain.ts'
import { createCommitments } from './commitments.ts'
import { faultInProposal, faultInCertificate, faultInRoundChange, type Height } from './justification.ts'
import { faultInRecord } from './records.ts'
import { faultInSeals } from './seals.ts'

/** Watches honest nodes; what must never happen and did is a violation. */
export type Checker = {
  /** The block came to stand on the node's chain. */
  appended(node: Node, block: Block): void
  /** The node's machine asks for the block to be imported. */
  importing(node: Node, block: Block): void
  /** The node's own message leaves it. */
  sent(node: Node, message: WireMessage): void
  stepped(node: Node, before: QbftState, after: QbftState, effects: readonly Effect[]): void
  /** Told from outside: liveness. */
  violated(what: string): void
  violation(): string | undefined
  readonly agreed: AgreedChain
}

/** Only attackers make blocks of which executing them would give another state than they say. */
const faultInExecution = ({ header }: Block): string | undefined =>
  equalBytes(header.stateRoot, EMPTY_TRIE_ROOT) ? undefined : `block ${header.number}, which is not valid`

export const createChecker = (
  genesis: SimulatedGenesis,
  isHonest: (address: Address) => boolean,
  isForgetful: (address: Address) => boolean,
): Checker => {
  const agreed = createAgreedChain(genesis)
  const commitments = createCommitments(isHonest, isForgetful)
  let found: string | undefined

  const violated = (what: string): void => {
    found ??= what
  }
  const require = (node: Node, what: string, fault: string | undefined): void => {
    if (fault !== undefined) violated(`${node.name} ${what}: ${fault}`)
  }

  const heightOf = (sequence: bigint): Height | undefined => {
    const before = agreed.at(sequence - 1n)
    return before === undefined
      ? undefined
      : { sequence, validators: before.validatorsAfter, previousProposer: before.coinbase }
  }

  const checkMessage = (node: Node, what: string, message: QbftMessage): void => {
    const height = heightOf(message.signed.payload.sequence)
    if (height === undefined) return violated(`${node.name} ${what} of a height nobody has come to`)
    if (message.kind === 'proposal')
      require(node, `${what} a proposal without justification`, faultInProposal(height, message))
    if (message.kind === 'round-change')
      require(node, `${what} a round change that nothing proves`, faultInRoundChange(height, message))
  }

  const checkState = (node: Node, before: QbftState, after: QbftState): void => {
    const height = after.height
    if (height === undefined || !height.active) return
    const old = before.height?.sequence === height.sequence ? before.height : undefined
    const { certificate, round } = height
    const agreedHeight = heightOf(height.sequence)
    if (agreedHeight === undefined) return violated(`${node.name} is at a height nobody has come to`)
    if (certificate !== undefined && certificate !== old?.certificate)
      require(node, 'keeps a certificate that proves nothing', faultInCertificate(agreedHeight, certificate))
    for (const candidate of [round?.candidate, round?.proposal])
      if (
        candidate !== undefined &&
        candidate !== old?.round?.candidate &&
        candidate !== old?.round?.proposal
      )
        checkMessage(node, 'took', candidate.message)
    if (height.roundChanges !== old?.roundChanges)
      for (const [author, message] of height.roundChanges)
        if (old?.roundChanges.get(author) !== message) checkMessage(node, 'took', message)
  }

  const checkEffect = (node: Node, effect: Effect): void => {
    if (effect.kind === 'evidence' && isHonest(effect.evidence.author))
      violated(`${node.name} accuses ${toHex(effect.evidence.author)}, which is honest`)
  }

  return {
    agreed,
    violated,
    violation: () => found,
    appended: (node, block) => {
      require(node, 'has another chain', agreed.add(block))
      const height = heightOf(block.header.number)
      if (height !== undefined) require(node, 'stored a block that is not final', faultInSeals(height, block))
      require(node, 'stored', faultInExecution(block))
    },
    importing: (node, block) => {
      const height = heightOf(block.header.number)
      if (height === undefined) return violated(`${node.name} commits a block nobody has come to`)
      require(node, 'commits a block that is not final', faultInSeals(height, block))
      require(node, 'commits', agreed.conflict(block))
      require(node, 'commits', faultInExecution(block))
      commitments.sealed(block)
      require(node, 'signed twice', commitments.conflict())
    },
    sent: (node, message) => {
      const decoded = decodeMessage(message.code, message.data)
      checkMessage(node, 'sent', decoded)
      commitments.sent(node.address, decoded)
      require(node, 'signed twice', commitments.conflict())
      require(node, 'sent what it may forget', faultInRecord(node.disk.record(), decoded))
    },
    stepped: (node, before, after, effects) => {
      checkState(node, before, after)
      for (const effect of effects) checkEffect(node, effect)
    },
  }
}

import type { Address } from '../../../../core/bytes/bytes.ts'
import type { Block } from '../../../../core/block/block.ts'
import type { Key } from '../../chain/support/keys.ts'
import { type BlockOptions, makeBlock } from './blocks.ts'
import { addressesOf, at, networkKeys } from './keys.ts'
import { commit, prepare, proposal } from './messages.ts'
import { createNode, type Node, type NodeOptions } from './node.ts'
import { sentIn, type Step } from './step.ts'

/** A validator of a network at its first height, without any messages yet. */
export type Given = {
  readonly keys: readonly Key[]
  readonly validators: readonly Address[]
  readonly node: Node
  /** All keys except the node's. */
  readonly peers: readonly Key[]
  /** A block of the validator. */
  readonly block: (creator: Key, options?: Partial<BlockOptions>) => Block
}

export type GivenOptions = Partial<Omit<NodeOptions, 'keys' | 'own'>>

/** `own` is the position of the node's address among the validators: the round of height 1 in which it proposes. */
export const givenNode = (count: number, own: number, options: GivenOptions = {}): Given => {
  const keys = networkKeys(count)
  const validators = addressesOf(keys)
  const node = createNode({ keys, own: at(keys, own), ...options })
  node.head()
  return {
    keys,
    validators,
    node,
    peers: keys.filter((_, index) => index !== own),
    block: (creator, blockOptions = {}) =>
      makeBlock({ creator: creator.address, validators, ...blockOptions }),
  }
}

/** The block that the node has just proposed. */
export const proposedIn = (step: Step): Block => {
  const [found] = sentIn(step).flatMap(message =>
    message.kind === 'proposal' ? [message.signed.payload.block] : [],
  )
  if (found === undefined) throw new Error('nothing was proposed')
  return found
}

export const receiveProposal = (node: Node, from: Key, block: Block): Step =>
  node.receive(from, proposal(from, block))

/** Prepares of the block by these keys. */
export const receivePrepares = (node: Node, from: readonly Key[], block: Block): Step =>
  from.flatMap(key => node.receive(key, prepare(key, block)))

export const receiveCommits = (node: Node, from: readonly Key[], block: Block): Step =>
  from.flatMap(key => node.receive(key, commit(key, block)))

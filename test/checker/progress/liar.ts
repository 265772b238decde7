import { encodePosition, POSITION_CODES } from '../../../core/qbft/codec/position.ts'
import { decodeMessage, encodeMessage } from '../../../core/qbft/codec/message.ts'
import { QBFT_CODES, type WireMessage } from '../../../core/qbft/message.ts'
import { FAR_ROUND, type Knowledge } from '../adversary/knowledge.ts'
import { blockAt, signCommit, signRoundChange } from '../adversary/signing.ts'
import { type Chain, chainOfDigest, lengthOf } from '../world/chain.ts'
import type { World } from '../world/world.ts'

/**
 * What the Byzantine members keep doing while the network is good. All but `silent` run the machine, and change what it
 * sends: claim a far height, seal wrongly, send their proposals and votes to half of the validators only; `far-round`
 * asks for a far round besides.
 */
export const BEHAVIOURS = ['silent', 'honest', 'far-height', 'wrong-seal', 'half', 'far-round'] as const
export type Behaviour = (typeof BEHAVIOURS)[number]

const FAR_HEIGHT = 1_000_000n

const knowledgeAt = (world: World, chain: Chain): Knowledge => ({
  world,
  chain,
  sequence: BigInt(lengthOf(chain) + 1),
  heard: [],
  blocks: [],
  known: [],
  rounds: [],
  oddRounds: [],
})

const wrongCommit = (
  world: World,
  author: number,
  chain: Chain,
  { code, data }: WireMessage,
): WireMessage => {
  const decoded = decodeMessage(code, data)
  if (decoded.kind !== 'commit') return { code, data }
  const { digest, round } = decoded.signed.payload
  const value = chainOfDigest(world.blocks.digestName(digest))
  const block = blockAt(world, value, round)
  return encodeMessage(signCommit(knowledgeAt(world, chain), author, round, block, false), 'legacy')
}

/** What the member sends instead of what its machine says; undefined for nothing. */
export const distorted = (
  behaviour: Behaviour,
  world: World,
  author: number,
  chain: Chain,
  to: number,
  message: WireMessage,
): WireMessage | undefined => {
  switch (behaviour) {
    case 'silent':
      return undefined
    case 'half':
      return message.code === POSITION_CODES.position || to % 2 === 0 ? message : undefined
    case 'far-height':
      return message.code === POSITION_CODES.position
        ? encodePosition({ sequence: FAR_HEIGHT, round: 0 })
        : message
    case 'wrong-seal':
      return message.code === QBFT_CODES.commit ? wrongCommit(world, author, chain, message) : message
    case 'honest':
    case 'far-round':
      return message
  }
}

/** A round change to a far round. */
export const farRoundChange = (world: World, author: number, chain: Chain): WireMessage =>
  encodeMessage(
    {
      kind: 'round-change',
      signed: signRoundChange(knowledgeAt(world, chain), author, FAR_ROUND, undefined),
      block: undefined,
      prepares: [],
    },
    'legacy',
  )

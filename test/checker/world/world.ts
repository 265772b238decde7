import type { Address } from '../../../core/bytes/bytes.ts'
import { qbftBlockHash } from '../../../core/block/codec/blockHash.ts'
import type { HeadContext } from '../../../core/qbft/input.ts'
import { proposerOf } from '../../../core/validators/proposer.ts'
import type { Height } from '../../simulation/checker/justification.ts'
import { quorumOf } from '../../simulation/checker/arithmetic.ts'
import type { Scope } from '../scope.ts'
import { type Actions, createActions } from './actions.ts'
import { type Blocks, createBlocks } from './blocks.ts'
import { type Chain, lengthOf } from './chain.ts'
import { createMembers, type Members } from './members.ts'

/** The clock of every step until a validator waits. */
export const START_MS = 1_000_000_000

/** Everything that has a name within a scope: validators, blocks, actions with their messages. */
export type World = {
  readonly scope: Scope
  readonly members: Members
  readonly blocks: Blocks
  readonly actions: Actions
  /** The head of a chain as the machine takes it. */
  headOf(chain: Chain): HeadContext
  /** The height after a chain as the rules of the simulation's checker take it. */
  heightOf(chain: Chain): Height
  /** Index of the proposer in a round of the height after the chain. */
  proposerAt(chain: Chain, round: number): number
  quorumAt(chain: Chain): number
}

/** The validators of the height after a chain of this length. */
const validatorsAfter = ({ change }: Scope, all: readonly Address[], length: number): readonly Address[] => {
  const isWhole = change === 'none' || (change === 'leaves' ? length === 0 : length > 0)
  return isWhole ? all : all.slice(0, -1)
}

export const createWorld = (scope: Scope): World => {
  const members = createMembers(scope.validators)
  const blocks = createBlocks()
  const heads = new Map<Chain, HeadContext>()
  const headOf = (chain: Chain): HeadContext => {
    const known = heads.get(chain)
    if (known !== undefined) return known
    const length = lengthOf(chain)
    const header = blocks.named(chain)?.header
    const head: HeadContext = {
      number: BigInt(length),
      hash: header === undefined ? new Uint8Array(32) : qbftBlockHash(header),
      timestamp: header?.timestamp ?? BigInt(START_MS / 1000),
      // Index 0 then proposes round 0 of height 1.
      coinbase: header?.coinbase ?? (members.addresses.at(-1) as Address),
      validators: validatorsAfter(scope, members.addresses, length),
      readyAtMs: START_MS,
      emptyAtMs: -Infinity,
      periodMs: 1000,
      spacingSeconds: 1,
      active: true,
    }
    heads.set(chain, head)
    return head
  }
  const heightOf = (chain: Chain): Height => {
    const { number, validators, coinbase } = headOf(chain)
    return { sequence: number + 1n, validators, previousProposer: coinbase }
  }
  return {
    scope,
    members,
    blocks,
    actions: createActions(members, blocks, heightOf),
    headOf,
    heightOf,
    proposerAt: (chain, round) => {
      const { validators, coinbase } = headOf(chain)
      return members.indexOf(proposerOf(validators, coinbase, round) as Address)
    },
    quorumAt: chain => quorumOf(headOf(chain).validators.length),
  }
}

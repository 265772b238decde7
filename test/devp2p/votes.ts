import { toHex } from '../../core/bytes/hex.ts'
import { growBy, type LiveNetwork, memberNamed, nodesOf, note } from './liveNetwork.ts'
import type { RunningMember } from './member.ts'
import { call } from './rpc.ts'

/** Blocks in which every validator has proposed at least once. */
const TURN = 8
const TURNS_MAX = 4

const isGoQuorum = ({ member }: RunningMember): boolean => member.client === 'goquorum'

const propose = (node: RunningMember, address: string, add: boolean): Promise<unknown> =>
  call(node.url, isGoQuorum(node) ? 'istanbul_propose' : 'qbft_proposeValidatorVote', [address, add])

const discard = (node: RunningMember, address: string): Promise<unknown> =>
  call(node.url, isGoQuorum(node) ? 'istanbul_discard' : 'qbft_discardValidatorVote', [address])

const validatorsOf = async (node: RunningMember): Promise<readonly string[]> =>
  (
    (await call(node.url, isGoQuorum(node) ? 'istanbul_getValidators' : 'qbft_getValidatorsByBlockNumber', [
      'latest',
    ])) as readonly string[]
  ).map(address => address.toLowerCase())

const isAgreed = async (network: LiveNetwork, address: string, isValidator: boolean): Promise<boolean> => {
  const sets = await Promise.all(nodesOf(network).map(validatorsOf))
  return sets.every(validators => validators.includes(address) === isValidator)
}

/** All validators vote for or against a member, until every node sees it in the set, or out of it. */
const vote = async (network: LiveNetwork, name: string, add: boolean): Promise<void> => {
  const address = toHex(memberNamed(network, name).key.address)
  const voters = nodesOf(network).filter(({ member }) => member.name !== 'rpc')
  for (const voter of voters) await propose(voter, address, add)
  for (let turn = 0; !(await isAgreed(network, address, add)); turn++) {
    if (turn === TURNS_MAX) throw new Error(`${name} was not voted ${add ? 'in' : 'out'}`)
    await growBy(network, TURN)
  }
  for (const voter of voters) await discard(voter, address)
  note(`${name} was voted ${add ? 'in' : 'out'}, as every node sees`)
}

/** The RPC node becomes the fifth validator, makes blocks, and leaves the set again. */
export const voteInAndOut = async (network: LiveNetwork): Promise<void> => {
  await vote(network, 'rpc', true)
  await growBy(network, 2 * TURN)
  await vote(network, 'rpc', false)
}

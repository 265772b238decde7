import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { toHex } from '../../core/bytes/hex.ts'
import { freePorts } from '../../runtime/devnet/ports.ts'
import { mixedGenesisText, type OtherClient } from './genesis.ts'
import {
  type Client,
  createMember,
  type Member,
  prepareMember,
  type RunningMember,
  startMember,
} from './member.ts'
import { headOf } from './rpc.ts'
import { createSender, type Sender, untilAllReach } from './scenario.ts'

/** A network of four validators and an RPC node of this software, some of whose members may be down. */
export type LiveNetwork = {
  readonly client: OtherClient
  readonly genesisPath: string
  readonly members: Member[]
  readonly running: Map<string, RunningMember>
  readonly sender: Sender
}

export const VALIDATORS = 4

export const note = (text: string): void => console.log(`${new Date().toISOString().slice(11, 19)} ${text}`)

export const memberNamed = ({ members }: LiveNetwork, name: string): Member =>
  members.find(each => each.name === name) as Member

const prepare = (network: LiveNetwork, member: Member): void =>
  prepareMember(
    member,
    network.members.filter(other => other.name !== member.name),
    network.genesisPath,
  )

/** Four validators, of which the first ones are of the other client, and the RPC node. */
export const createLiveNetwork = async (
  folder: string,
  client: OtherClient,
  theirs: number,
  periodSeconds: number,
): Promise<LiveNetwork> => {
  const ports = await freePorts(2 * (VALIDATORS + 1))
  const portsOf = (index: number) => [ports[2 * index] as number, ports[2 * index + 1] as number] as const
  const validators = Array.from({ length: VALIDATORS }, (_, index) =>
    createMember(folder, `validator${index + 1}`, index < theirs ? client : 'quorate', portsOf(index)),
  )
  const members = [...validators, createMember(folder, 'rpc', 'quorate', portsOf(VALIDATORS))]
  const genesisPath = join(folder, 'genesis.json')
  const addresses = validators.map(({ key }) => key.address).sort((a, b) => (toHex(a) < toHex(b) ? -1 : 1))
  writeFileSync(genesisPath, mixedGenesisText(client, addresses, periodSeconds))
  const network = { client, genesisPath, members, running: new Map(), sender: createSender() }
  for (const member of members) prepare(network, member)
  return network
}

export const startIn = (network: LiveNetwork, member: Member): void =>
  void network.running.set(member.name, startMember(member, network.genesisPath, network.client))

export const stopIn = async (
  network: LiveNetwork,
  name: string,
  signal: 'SIGTERM' | 'SIGKILL',
): Promise<void> => {
  await network.running.get(name)?.stop(signal)
  network.running.delete(name)
}

export const nodesOf = ({ running }: LiveNetwork): readonly RunningMember[] => [...running.values()]

/** Lets the chain grow to a block while transfers arrive. */
export const growTo = async (network: LiveNetwork, number: number): Promise<void> => {
  for (;;) {
    const head = await highestHead(network)
    if (head >= number) break
    await network.sender.send(nodesOf(network))
    await untilAllReach(nodesOf(network), Math.min(head + 1, number))
  }
  await untilAllReach(nodesOf(network), number)
}

export const highestHead = async (network: LiveNetwork): Promise<number> =>
  Math.max(...(await Promise.all(nodesOf(network).map(({ url }) => headOf(url)))))

/** Lets the chain grow by so many blocks. */
export const growBy = async (network: LiveNetwork, blocks: number): Promise<void> =>
  growTo(network, (await highestHead(network)) + blocks)

/** Ends a node, lets the others continue without it, and starts it again. */
export const restart = async (
  network: LiveNetwork,
  name: string,
  signal: 'SIGTERM' | 'SIGKILL',
  blocks: number,
): Promise<void> => {
  const member = memberNamed(network, name)
  await stopIn(network, name, signal)
  note(`${name} (${member.client}) ended by ${signal}`)
  await growBy(network, blocks)
  startIn(network, member)
  const head = await highestHead(network)
  await untilAllReach(nodesOf(network), head + 1)
  note(`${name} (${member.client}) has caught up with block ${head + 1}`)
}

/** Ends a validator and starts another client with the same key and ports, which fetches the chain from the others. */
export const replaceClient = async (network: LiveNetwork, name: string, client: Client): Promise<void> => {
  const old = memberNamed(network, name)
  await stopIn(network, name, 'SIGTERM')
  const kept = network.members.findIndex(each => each.name === name)
  const { key, p2pPort, rpcPort, dataPath } = old
  const folder = join(dataPath, '..')
  const member = createMember(folder, name, client, [p2pPort, rpcPort], key)
  network.members[kept] = member
  prepare(network, member)
  startIn(network, member)
  note(`${name}: ${client} in place of ${old.client}`)
  const head = await highestHead(network)
  await untilAllReach(nodesOf(network), head + 1)
}

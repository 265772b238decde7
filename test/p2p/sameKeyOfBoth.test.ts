import { expect, test } from 'bun:test'
import { toBareHex, toHex } from '../../core/bytes/hex.ts'
import { addressOfPrivateKey } from '../../core/crypto/crypto.ts'
import { ETH } from '../../p2p/devp2p/ethCodes.ts'
import { type BothNode, portPair, startBothNode } from './bothNodes.ts'
import { BLOCKS, type Devp2pTestNode, startDevp2pNode, statusAt } from './devp2p/nodes.ts'
import type { SampleBlock } from './devp2p/sampleBlocks.ts'
import { connectScripted } from './devp2p/scriptedPeer.ts'
import { type Node, startTestNode, until } from './networks.ts'

const SHARED = new Uint8Array(32).fill(0x51)
const SHARED_ADDRESS = toBareHex(addressOfPrivateKey(SHARED))
const ANOTHER = /another node with its key is connected from 127\.0\.0\.1:\d+/

const status = statusAt(BLOCKS[0] as SampleBlock, { client: 'quorate/test' })

const startOverLibp2p = ({ libp2pEnode }: BothNode): Promise<Node> =>
  startTestNode({ privateKey: SHARED, bootnodes: [libp2pEnode], status })

/** With the refusals that it learns of. */
const startOverDevp2p = async ({
  network,
}: BothNode): Promise<Devp2pTestNode & { readonly keysInUse: readonly string[] }> => {
  const keysInUse: string[] = []
  const node = await startDevp2pNode({
    privateKey: SHARED,
    staticNodes: [network.enode],
    status,
    handlers: { onKeyInUse: address => void keysInUse.push(toHex(address)) },
  })
  return Object.assign(node, { keysInUse })
}

const stopAll = async (...nodes: readonly ({ stop(): Promise<void> } | undefined)[]): Promise<void> => {
  await Promise.all(nodes.map(async node => node?.stop()))
}

test('given a node over libp2p, when another one with its key connects over devp2p to a peer of both, then it is refused, learns why, and takes its place afterwards', async () => {
  const both = await startBothNode(await portPair(), [])
  const first = await startOverLibp2p(both)
  let second: Awaited<ReturnType<typeof startOverDevp2p>> | undefined
  try {
    await until(() => both.network.peers().length === 1)
    second = await startOverDevp2p(both)
    await until(() => (second?.keysInUse.length ?? 0) > 0)
    expect(second.keysInUse[0]).toBe(toHex(both.address))
    expect(second.peers).toEqual([])
    expect(both.heard.lines.filter(line => ANOTHER.test(line))).not.toEqual([])
    expect(both.heard.events).toEqual([`came ${SHARED_ADDRESS}`])
    expect([first.keysInUse, first.disconnected]).toEqual([[], []])
    await first.stop()
    await until(() => second?.network.peers().length === 1)
  } finally {
    await stopAll(first, second, both.network)
  }
})

test('given a node over devp2p, when another one with its key connects over libp2p to a peer of both, then it is refused, learns why, and takes its place afterwards', async () => {
  const both = await startBothNode(await portPair(), [])
  const first = await startOverDevp2p(both)
  let second: Node | undefined
  try {
    await until(() => both.network.peers().length === 1)
    second = await startOverLibp2p(both)
    await until(() => (second?.keysInUse.length ?? 0) > 0)
    expect(second.keysInUse[0]?.address).toBe(toHex(both.address))
    expect(second.keysInUse[0]?.reason).toMatch(ANOTHER)
    expect(second.connections).toBe(0)
    expect(both.heard.events).toEqual([`came ${SHARED_ADDRESS}`])
    expect([first.keysInUse, first.disconnected]).toEqual([[], []])
    await first.stop()
    await until(() => second?.network.peers().length === 1)
  } finally {
    await stopAll(first, second, both.network)
  }
})

test('given a node of other software over devp2p that went silent, when one with its key connects over libp2p, then that one takes its place', async () => {
  const both = await startBothNode(await portPair(), [])
  const besu = await connectScripted(both.network.enode, { privateKey: SHARED })
  let second: Node | undefined
  try {
    besu.sendStatus()
    await besu.next(ETH.status)
    await until(() => both.network.peers().length === 1)
    second = await startOverLibp2p(both)
    await until(() => (second?.keysInUse.length ?? 0) > 0)
    await until(() => besu.isClosed() && second?.network.peers().length === 1)
  } finally {
    besu.close()
    await stopAll(second, both.network)
  }
})

test('given two nodes of both, then they meet over both transports, and neither refuses the other', async () => {
  const one = await startBothNode(await portPair(), [])
  const other = await startBothNode(await portPair(), [one.network.enode], { privateKey: SHARED })
  try {
    // The status of libp2p comes after that of devp2p, and counts more.
    await until(() => one.network.peers().some(({ capabilities }) => capabilities === undefined))
    await until(() => other.network.peers().some(({ capabilities }) => capabilities === undefined))
    expect([one.heard.keysInUse, other.heard.keysInUse]).toEqual([[], []])
    expect(one.heard.events).toEqual([`came ${SHARED_ADDRESS}`])
    expect([...one.heard.lines, ...other.heard.lines].filter(line => ANOTHER.test(line))).toEqual([])
  } finally {
    await stopAll(one.network, other.network)
  }
})

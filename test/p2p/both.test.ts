import { randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'bun:test'
import { fromHex, toBareHex } from '../../core/bytes/hex.ts'
import { addressOfPublicKey, publicKeyOf } from '../../core/crypto/crypto.ts'
import { ETH } from '../../p2p/devp2p/ethCodes.ts'
import { formatEnode } from '../../p2p/transport/enode.ts'
import { freePorts } from '../../runtime/devnet/ports.ts'
import { type BothNode, type BothStartOptions, portPair, startBothNode } from './bothNodes.ts'
import { BLOCKS, startDevp2pNode, statusAt } from './devp2p/nodes.ts'
import type { SampleBlock } from './devp2p/sampleBlocks.ts'
import { connectScripted } from './devp2p/scriptedPeer.ts'
import { someTransaction, startTestNode, until } from './networks.ts'

const ISTANBUL_OFFSET = 0x21
/** The interval at which connections are checked. */
const SUPERVISION_MS = 1000

const status = statusAt(BLOCKS[0] as SampleBlock, { client: 'quorate/test' })

test('given nodes of each transport around two of both, then these meet over libp2p, and pass on what one side brings once, whatever a third sends', async () => {
  const one = await startBothNode(await portPair(), [])
  const other = await startBothNode(await portPair(), [one.network.enode])
  const devp2p = await startDevp2pNode({ staticNodes: [one.network.enode], status })
  const libp2p = await startTestNode({ bootnodes: [one.libp2pEnode], status })
  try {
    await until(() => one.network.peers().length === 3)
    const withOther = (): boolean | undefined =>
      one.network.peers().find(({ publicKey }) => other.network.enode.includes(toBareHex(publicKey)))
        ?.capabilities === undefined
    await until(() => withOther() === true)
    expect(one.heard.events.filter(text => text.startsWith('came'))).toHaveLength(3)

    const fromDevp2p = someTransaction(10)
    devp2p.network.announceTransactions([fromDevp2p])
    await until(() => libp2p.transactions.some(each => toBareHex(each) === toBareHex(fromDevp2p)))
    const fromLibp2p = someTransaction(10)
    libp2p.network.announceTransactions([fromLibp2p])
    await until(() => devp2p.transactions.some(each => toBareHex(each) === toBareHex(fromLibp2p)))

    const all = one.network.peers().map(({ address }) => address)
    expect(one.network.sendConsensus(all, 0x13, randomBytes(100))).toBe(3)
    await until(
      () => devp2p.consensus.length > 0 && libp2p.consensus.length > 0 && other.heard.codes.length > 0,
    )

    // Each message comes once, and what comes back from the other side goes no further, although the pools take everything.
    expect([devp2p.consensus.length, libp2p.consensus.length, other.heard.codes.length]).toEqual([1, 1, 1])
    for (const { transactions } of [one.heard, other.heard, devp2p, libp2p])
      expect(transactions.length).toBeLessThanOrEqual(2 * 4)

    const hostile = await connectScripted(one.network.enode)
    hostile.sendStatus()
    await until(() => one.network.peers().length === 4)
    hostile.sendEth(ETH.newBlockHashes, [new Uint8Array(100_000)])
    await until(() => hostile.isClosed())
    await until(() => one.network.peers().length === 3)
    const afterwards = someTransaction(10)
    devp2p.network.announceTransactions([afterwards])
    await until(() => libp2p.transactions.some(each => toBareHex(each) === toBareHex(afterwards)))

    await other.network.stop()
    const otherAddress = toBareHex(addressOfPublicKey(fromHex(other.network.enode.slice(8, 136))))
    await until(() => one.heard.events.includes(`went ${otherAddress}`))
    expect(one.heard.events.filter(text => text.startsWith('went'))).toHaveLength(2)
  } finally {
    await Promise.all([one.network.stop(), other.network.stop(), devp2p.stop(), libp2p.stop()])
  }
})

/** Dials the node over devp2p; the node itself dials over libp2p all the while. Neither connection stays. */
const expectRefused = async ({ network, heard }: BothNode, privateKey: Uint8Array): Promise<void> => {
  const again = await connectScripted(network.enode, { privateKey, client: 'quorate/test' })
  again.sendStatus()
  await until(() => again.isClosed())
  await wait(2 * SUPERVISION_MS)
  expect(network.peers()).toHaveLength(0)
  expect(heard.events.filter(text => text.startsWith('came'))).toHaveLength(1)
}

type OverBoth = {
  readonly one: BothNode
  readonly libp2p: Awaited<ReturnType<typeof startTestNode>>
  readonly devp2p: Awaited<ReturnType<typeof connectScripted>>
  readonly privateKey: Uint8Array
}

/** Connects a key to a node of both over each transport. What runs must end both connections for good. */
const withKeyOverBoth = async (
  options: BothStartOptions,
  run: (connected: OverBoth) => Promise<void>,
): Promise<void> => {
  const one = await startBothNode(await portPair(), [], options)
  const privateKey = randomBytes(32)
  const libp2p = await startTestNode({ privateKey, bootnodes: [one.libp2pEnode], status })
  try {
    await until(() => one.network.peers().length === 1)
    const devp2p = await connectScripted(one.network.enode, { privateKey, client: 'quorate/test' })
    devp2p.sendStatus()
    await devp2p.next(ETH.status)
    await run({ one, libp2p, devp2p, privateKey })
    await until(() => devp2p.isClosed() && libp2p.network.peers().length === 0)
    expect(one.network.peers()).toHaveLength(0)
    await expectRefused(one, privateKey)
  } finally {
    await Promise.all([one.network.stop(), libp2p.stop()])
  }
}

test('given a node that is connected over both transports, when it is banned, then both connections end, and it is not connected again over either', () =>
  withKeyOverBoth({}, async ({ one, libp2p, devp2p, privateKey }) => {
    const address = addressOfPublicKey(publicKeyOf(privateKey))
    const message = randomBytes(100)
    expect(one.network.sendConsensus([address], 0x13, message)).toBe(1)
    await until(() => libp2p.consensus.length === 1)
    expect(devp2p.heard.filter(({ id }) => id >= ISTANBUL_OFFSET)).toHaveLength(0)
    one.network.reportMisbehaviour(address, 'invalid-block', 'test')
  }))

test('given a node that is connected over both transports, when it is removed from the allowlist, then both connections end, and it is not connected again over either', () => {
  const removed = new Set<string>()
  const refuses = (publicKey: Uint8Array): string | undefined =>
    removed.has(toBareHex(publicKey)) ? 'not in the allowlist' : undefined
  return withKeyOverBoth({ refuses }, async ({ privateKey }) => {
    removed.add(toBareHex(publicKeyOf(privateKey)))
  })
})

test('given a node of the same software that listens for devp2p alone, then only a failed dial of a static node is told, by its endpoint of devp2p', async () => {
  const [absent = 0] = await freePorts(1)
  const publicKey = publicKeyOf(randomBytes(32))
  const enode = formatEnode({ publicKey, host: '127.0.0.1', port: absent })
  const one = await startBothNode(await portPair(), [enode])
  const devp2p = await startDevp2pNode({ staticNodes: [one.network.enode], status })
  try {
    await until(() => one.network.peers().length === 1 && one.heard.unreached.length > 0)
    await wait(2 * SUPERVISION_MS)
    expect(new Set(one.heard.unreached)).toEqual(new Set([enode]))
    expect(await one.network.removePeer(enode)).toBe(true)
    expect(await one.network.removePeer(enode)).toBe(false)
  } finally {
    await Promise.all([one.network.stop(), devp2p.stop()])
  }
})

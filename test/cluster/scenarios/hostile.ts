import { expect } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeFrame, encodeLength } from '../../../p2p/transport/frames.ts'
import { STATUS_PROTOCOL } from '../../../p2p/transport/protocols.ts'
import { type Attacker, sendAnyway, silentSocket, startAttacker } from '../support/attacker.ts'
import { enodeOf } from '../support/ownNode.ts'
import { type Cluster, createCluster } from '../support/cluster.ts'
import {
  futureMessages,
  giantProposal,
  giantRoundChange,
  hostileKey,
  oneOfEach,
  prepareOf,
  repeated,
  roundChangeOf,
} from '../support/hostileMessages.ts'
import { memoryOf, settledMemoryOf } from '../support/memory.ts'
import { until, untilBlocks } from '../support/waiting.ts'
import { scenario } from '../../support/scenario.ts'

const MEBIBYTES = 1024 * 1024
/**
 * Of resident memory, which keeps what the collector has freed for a while. What a flood leaves in the node's own buffers is
 * bounded far lower: test/core/qbft/bounds.test.ts measures it.
 */
const GROWTH_MAX = 192 * MEBIBYTES

/** Three of four validators run; the key of the fourth is the attacker's. */
const HONEST = [1, 2, 3]
const STOLEN = hostileKey(4)

scenario('given three of four validators in processes of their own', ({ beforeAll, afterAll, test }) => {
  const folder = mkdtempSync(join(tmpdir(), 'quorate-cluster-'))
  const attackers: Attacker[] = []
  let cluster: Cluster

  beforeAll(async () => {
    cluster = await createCluster({ folder, validators: 4, nodes: 5 })
    await cluster.start(...HONEST)
    await untilBlocks(cluster, 2)
  })

  afterAll(async () => {
    await Promise.all(attackers.map(attacker => attacker.stop()))
    await cluster.end()
    rmSync(folder, { recursive: true, force: true })
  })

  const attack = async (index: number, privateKey?: Uint8Array): Promise<Attacker> => {
    const attacker = await startAttacker(cluster, index, privateKey)
    attackers.push(attacker)
    return attacker
  }

  /** That no more has come to it since, as soon as garbage is collected. */
  const expectGrowthBelow = async (pid: number, before: number, bytes: number): Promise<void> => {
    await until(`memory below ${before} + ${bytes} bytes`, async () => memoryOf(pid) - before < bytes)
  }

  /** That the node takes part in blocks that are made from now on, and the others too. */
  const goesOn = (): Promise<number> => untilBlocks(cluster, 3)

  test('when a peer sends one of each kind of bad message with the fourth key, then each is counted by reason and peer', async () => {
    const attacker = await attack(1, STOLEN.privateKey)
    await attacker.flood(oneOfEach(STOLEN, hostileKey(9), await cluster.head(1)))
    for (const reason of [
      'undecodable 1',
      'unknown-code 1',
      'not-a-validator',
      'far-future-height 1',
      'past-height 1',
      'duplicate 1',
    ])
      await until(`a line that counts ${reason}`, async () => cluster.node(1).output().includes(reason))
    expect(cluster.node(1).output()).toContain('consensus messages. By peer: 0x')
    await goesOn()
    await attacker.stop()
  })

  test('when the holder of the fourth key floods with messages of later heights and rounds, then memory stays, it is dropped and blocks go on', async () => {
    const before = await settledMemoryOf(cluster.node(1).pid, 1)
    const attacker = await attack(1, STOLEN.privateKey)
    const head = await cluster.head(1)
    const messages = [
      ...futureMessages(STOLEN, head, 500),
      ...Array.from({ length: 250 }, (_, round) => roundChangeOf(STOLEN, BigInt(head + 5), 1 + round)),
      ...Array.from({ length: 250 }, (_, round) => prepareOf(STOLEN, BigInt(head + 8), 1 + round, round)),
    ]
    const flooding = attacker.flood(repeated(messages, 50_000))
    await goesOn()
    await flooding
    await until('the flooder is dropped', async () => !attacker.isConnected)
    expect(cluster.node(1).output()).toMatch(/is banned for \d+ s: flooding/)
    await expectGrowthBelow(cluster.node(1).pid, before, GROWTH_MAX)
    await goesOn()
  })

  test('when it floods another node with giant proposals and round changes, then memory stays and blocks go on', async () => {
    const before = await settledMemoryOf(cluster.node(2).pid, 1)
    const attacker = await attack(2, STOLEN.privateKey)
    const head = await cluster.head(2)
    const giants = [1, 2, 5, 9].flatMap(ahead => [
      giantProposal(STOLEN, BigInt(head + ahead), ahead % 4, 15 * MEBIBYTES),
      giantRoundChange(STOLEN, BigInt(head + ahead), 1 + ahead, 15 * MEBIBYTES),
    ])
    const flooding = attacker.flood(giants)
    await goesOn()
    await flooding
    await goesOn()
    await attacker.stop()
    await expectGrowthBelow(cluster.node(2).pid, before, GROWTH_MAX)
  })

  test('when an unknown node floods, then memory stays, it is disconnected, and blocks go on', async () => {
    const before = await settledMemoryOf(cluster.node(3).pid, 1)
    const attacker = await attack(3)
    const head = await cluster.head(3)
    const flooding = attacker.flood(repeated(futureMessages(STOLEN, head, 300), 50_000))
    await goesOn()
    await flooding
    await until('the unknown node is disconnected', async () => !attacker.isConnected)
    await until('a line that counts', async () => /peer-not-a-validator \d+/.test(cluster.node(3).output()))
    await expectGrowthBelow(cluster.node(3).pid, before, GROWTH_MAX)
  })

  test('when peers send junk over each protocol, then they are cut off or ignored, and blocks go on', async () => {
    const junk = [
      new Uint8Array(0),
      Uint8Array.of(0xff),
      randomBytes(1000),
      new Uint8Array(200_000).fill(0x80),
      new Uint8Array(200_000).fill(0xc1),
    ]
    for (const what of ['status', 'consensus', 'blocks', 'ranges', 'peers'] as const)
      for (const bytes of junk) {
        const attacker = await attack(1)
        const stream = await attacker.open(what === 'status' ? STATUS_PROTOCOL : attacker.protocols[what])
        sendAnyway(stream, encodeFrame(bytes))
        sendAnyway(stream, encodeLength(0xffff_ffff))
        // Whom a node knows it tells whoever asks, with whatever words.
        if (what !== 'peers')
          await until('the stream is given up', async () => stream.status !== 'open' || !attacker.isConnected)
        await attacker.stop()
      }
    await goesOn()
  })

  test('when a peer gossips what is no batch of transactions, then it is cut off', async () => {
    const attacker = await attack(2)
    const { pubsub } = attacker.host.services
    pubsub.subscribe(attacker.protocols.transactions)
    await until('it is cut off', async () => {
      for (const bytes of [randomBytes(100), new Uint8Array(1_000_000).fill(0x80), randomBytes(1_000)])
        await pubsub.publish(attacker.protocols.transactions, bytes).catch(() => undefined)
      return !attacker.isConnected
    })
    await goesOn()
  })

  test('when streams are opened by the thousand, and left half open, then blocks go on', async () => {
    const attacker = await attack(1)
    const names = [STATUS_PROTOCOL, ...Object.values(attacker.protocols)]
    const opened = await Promise.allSettled(
      Array.from({ length: 3_000 }, async (_, index) => {
        const stream = await attacker.open(names[index % names.length] as string)
        sendAnyway(stream, encodeLength(100))
      }),
    )
    expect(opened.filter(({ status }) => status === 'fulfilled').length).toBeLessThan(500)
    await goesOn()
    await attacker.stop()
  })

  test('when sockets are held by the hundred, silent or without a status, then another node still joins', async () => {
    const enode = enodeOf(cluster.node(1))
    const sockets = Array.from({ length: 400 }, () => silentSocket(enode))
    try {
      await cluster.start(5)
      await until(
        'the new node has peers',
        async () => Number(await cluster.node(5).rpc('net_peerCount')) > 0,
      )
      await goesOn()
    } finally {
      for (const socket of sockets) socket.destroy()
    }
  })

  test('when peers ask for everything and read nothing, then memory stays and blocks go on', async () => {
    const { pid } = cluster.node(2)
    const before = await settledMemoryOf(pid, 1)
    let most = before
    const slow = await Promise.all(Array.from({ length: 8 }, () => attack(2)))
    for (const attacker of slow)
      for (let count = 0; count < 20; count++) {
        const stream = await attacker.open(attacker.protocols.ranges).catch(() => undefined)
        if (stream?.status !== 'open') continue
        if (stream.readStatus === 'readable') stream.pause()
        // Blocks from 0 on, 1,024 of them.
        sendAnyway(stream, encodeFrame(Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 4, 0)))
        most = Math.max(most, memoryOf(pid))
      }
    await goesOn()
    expect(Math.max(most, memoryOf(pid)) - before).toBeLessThan(2 * GROWTH_MAX)
  })
})

import { randomBytes } from 'node:crypto'
import { encodeRlp } from '../../../core/rlp/rlp.ts'
import { ETH } from '../../../p2p/devp2p/ethCodes.ts'
import { compressSnappy } from '../../../p2p/devp2p/snappy/compress.ts'
import { parseEnode } from '../../../p2p/transport/enode.ts'
import { untilBlocks } from '../../cluster/support/waiting.ts'
import type { Cluster } from '../../cluster/support/cluster.ts'
import { connectScripted, type ScriptedPeer } from '../../p2p/devp2p/scriptedPeer.ts'
import { until } from '../../support/until.ts'
import type { Attack, AttackContext } from '../attack.ts'
import { closeAll, openSocket, type Sockets } from '../sockets.ts'

const STRANGERS = 20
const ATTACK_MS = 20_000
const OVER_DEVP2P = { args: ['--p2p-protocol=devp2p'] }
/** Ids of the messages of eth/69 and of istanbul/100 behind it. */
const ETH_OFFSET = 0x10
const ISTANBUL_OFFSET = ETH_OFFSET + 18
const COMMIT = 0x14
/** Nearly the largest message, of zeros: 490 KB on the wire. */
const BOMB = compressSnappy(encodeRlp([99n, new Uint8Array(10 * 1024 * 1024 - 64)]))

const enodeOf = async (cluster: Cluster, index: number): Promise<string> =>
  (await cluster.node(index).rpc<{ readonly enode: string }>('admin_nodeInfo')).enode

/** Connects with a new key, and tells the node its own status. */
const connectStranger = async (enode: string): Promise<ScriptedPeer> => {
  const peer = await connectScripted(enode, {
    capabilities: [
      ['eth', 69],
      ['istanbul', 100],
    ],
  })
  await until(() => peer.isClosed() || peer.heard.some(({ id }) => id === ETH_OFFSET))
  const status = peer.heard.find(({ id }) => id === ETH_OFFSET)
  if (status !== undefined) peer.send(ETH_OFFSET, status.payload)
  return peer
}

const hashes = (count: number): Uint8Array[] => Array.from({ length: count }, () => randomBytes(32))

type Kind = { readonly name: string; readonly what: string; readonly send: (peer: ScriptedPeer) => void }

const KINDS: readonly Kind[] = [
  {
    name: 'unasked-answers',
    what: 'block bodies that nobody asked for, 490 KB that inflate to 10 MiB',
    send: peer => peer.sendAsIs(ETH_OFFSET + ETH.blockBodies, BOMB),
  },
  {
    name: 'inflating-votes',
    what: 'votes of 490 KB that inflate to 10 MiB',
    send: peer => peer.sendAsIs(ISTANBUL_OFFSET + COMMIT, BOMB),
  },
  {
    name: 'unknown-hashes',
    what: 'announcements of 4,096 transactions, and requests for as many, that do not exist',
    send: peer => {
      const unknown = hashes(4_096)
      peer.sendEth(ETH.newPooledTransactionHashes, [
        new Uint8Array(4_096).fill(2),
        unknown.map(() => 200),
        unknown,
      ])
      peer.sendEth(ETH.getPooledTransactions, [1, unknown])
    },
  },
  {
    name: 'tiny-frames',
    what: 'hundreds of the smallest frames at once',
    send: peer => {
      for (let count = 0; count < 500; count++) peer.sendAsIs(2, Uint8Array.of(1, 0, 0xc0))
    },
  },
]

/** One stranger after the other, each until it is disconnected. */
const attackAsOne = async (enode: string, { send }: Kind, endMs: number): Promise<number> => {
  let connections = 0
  while (Date.now() < endMs) {
    const peer = await connectStranger(enode).catch(() => undefined)
    if (peer !== undefined) connections++
    while (peer?.isClosed() === false && Date.now() < endMs) {
      send(peer)
      await Bun.sleep(5)
    }
    peer?.close()
    await Bun.sleep(200)
  }
  return connections
}

const strangersThatSend = (kind: Kind): Attack => ({
  name: `devp2p-${kind.name}`,
  what: `Sends a validator over devp2p, as ${STRANGERS} strangers, ${kind.what}.`,
  network: OVER_DEVP2P,
  run: async ({ cluster, say }) => {
    const enode = await enodeOf(cluster, 1)
    const endMs = Date.now() + ATTACK_MS
    const counts = await Promise.all(Array.from({ length: STRANGERS }, () => attackAsOne(enode, kind, endMs)))
    say(`${counts.reduce((sum, count) => sum + count, 0)} connections`)
    return []
  },
})

/** Holds more sockets than there are places, and opens each again once it is ended. */
const holdSilent = async ({ cluster }: AttackContext, isOver: () => boolean): Promise<number> => {
  const sockets: Sockets = { open: new Set(), ended: 0, refused: 0 }
  const ports = await Promise.all(
    [1, 2, 3, 4].map(async index => parseEnode(await enodeOf(cluster, index)).port),
  )
  while (!isOver()) {
    for (const port of ports)
      for (let count = 0; count < 20 && sockets.open.size < 4 * 80; count++)
        openSocket(sockets, { host: '127.0.0.1', port }, new Uint8Array(0))
    await Bun.sleep(10)
  }
  closeAll(sockets)
  return sockets.ended
}

const RESTARTED_MS = 30_000

const silentHandshakes: Attack = {
  name: 'devp2p-silent-handshakes',
  what: 'Holds all places for handshakes over devp2p with silent sockets, while two of four validators are restarted.',
  network: OVER_DEVP2P,
  // Two validators are no quorum; those that restarted connect again, and lose the round in which they may have signed.
  limits: { blockGapMs: 20_000, transferBlocks: 3 },
  run: async context => {
    const { cluster, say } = context
    let isOver = false
    const holding = holdSilent(context, () => isOver)
    try {
      await Bun.sleep(7_000)
      for (const index of [1, 2]) await cluster.stop(index)
      await cluster.start(1, 2)
      await Promise.race([
        untilBlocks(cluster, 3),
        Bun.sleep(RESTARTED_MS).then(() => Promise.reject(new Error('no blocks after the restart'))),
      ])
      return []
    } finally {
      isOver = true
      say(`${await holding} sockets ended`)
    }
  },
}

export const DEVP2P_STRANGERS: readonly Attack[] = [...KINDS.map(strangersThatSend), silentHandshakes]

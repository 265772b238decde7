import { randomBytes } from 'node:crypto'
import { createConnection, type Socket } from 'node:net'
import type { Stream } from '@libp2p/interface'
import type { Hash } from '../../../core/bytes/bytes.ts'
import { fromHex } from '../../../core/bytes/hex.ts'
import { encodeFrame } from '../../../p2p/transport/frames.ts'
import type { WireMessage } from '../../../core/qbft/message.ts'
import { parseEnode } from '../../../p2p/transport/enode.ts'
import { dialRaw, type RawPeer } from '../../p2p/rawPeer.ts'
import type { Cluster } from './cluster.ts'
import { enodeOf } from './ownNode.ts'

/** Signs of life, as every node gives them. */
const ALIVE_MS = 2_000
/** Bytes in the stream's own buffer, above which the attacker waits for the node to read. */
const BUFFER_BYTES = 128 * 1024

export type Attacker = Pick<RawPeer, 'host' | 'protocols' | 'open' | 'isConnected'> & {
  /** Sends these over one consensus stream as fast as the node reads; gives how many were on their way before it hung up. */
  flood(messages: Iterable<WireMessage>): Promise<number>
  stop(): Promise<void>
}

export const genesisHashOf = async (cluster: Cluster, index: number): Promise<Hash> => {
  const genesis = await cluster.block(index, 0)
  if (genesis === null) throw new Error('no genesis block')
  return fromHex(genesis.hash)
}

/** A peer that has told a status the node accepts, and lives. */
export const startAttacker = async (
  cluster: Cluster,
  index: number,
  privateKey: Uint8Array = randomBytes(32),
): Promise<Attacker> => {
  const genesisHash = await genesisHashOf(cluster, index)
  const raw = await dialRaw(enodeOf(cluster.node(index)), privateKey, genesisHash)
  await raw
    .shakeHands({ networkId: 4242n, genesisHash, headHash: genesisHash })
    .catch(async (cause: unknown) => {
      await raw.stop()
      throw cause
    })
  const alive = setInterval(() => {
    if (raw.isConnected) raw.tell({ kind: 'alive' }).catch(() => undefined)
  }, ALIVE_MS)
  return {
    host: raw.host,
    protocols: raw.protocols,
    open: protocol => raw.open(protocol),
    get isConnected() {
      return raw.isConnected
    },
    flood: async messages => {
      const stream = await raw.open(raw.protocols.consensus)
      let sent = 0
      for (const { code, data } of messages) {
        while (raw.isConnected && stream.status === 'open' && stream.writeBufferLength > BUFFER_BYTES)
          await Bun.sleep(5)
        if (!raw.isConnected || stream.status !== 'open') return sent
        stream.send(encodeFrame(Uint8Array.of(code), data))
        sent++
      }
      while (raw.isConnected && stream.status === 'open' && stream.writeBufferLength > 0) await Bun.sleep(5)
      return sent
    },
    stop: async () => {
      clearInterval(alive)
      await raw.stop()
    },
  }
}

/** Sends what may well be refused: a stream that the node has closed is no failure of the attack. */
export const sendAnyway = (stream: Stream, bytes: Uint8Array): void => {
  try {
    stream.send(bytes)
  } catch {
    // The node does not want to hear it.
  }
}

/** A socket that connects and says nothing. */
export const silentSocket = (enode: string): Socket => {
  const { host, port } = parseEnode(enode)
  const socket = createConnection({ host, port })
  socket.on('error', () => socket.destroy())
  return socket
}

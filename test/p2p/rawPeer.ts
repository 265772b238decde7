import { randomBytes } from 'node:crypto'
import type { Stream } from '@libp2p/interface'
import type { Hash } from '../../core/bytes/bytes.ts'
import { encodeFrame } from '../../p2p/transport/frames.ts'
import { gossipOptions } from '../../p2p/gossip/gossip.ts'
import { createHost, type Host, startHost } from '../../p2p/transport/host.ts'
import { dialAddressOf } from '../../p2p/transport/identity.ts'
import { parseEnode } from '../../p2p/transport/enode.ts'
import { readFrames } from '../../p2p/transport/readFrames.ts'
import type { PeerStatus } from '../../p2p/network.ts'
import { type Protocols, protocolsOf, STATUS_PROTOCOL } from '../../p2p/transport/protocols.ts'
import { encodeStatusMessage, type StatusMessage } from '../../p2p/peers/statusMessage.ts'
import { GENESIS, statusOf } from './networks.ts'

/** A peer that sends only what the test sends. */
export type RawPeer = {
  readonly host: Host
  readonly protocols: Protocols
  /** Opens a stream of the one protocol to the node. */
  open(protocol: string): Promise<Stream>
  tell(message: StatusMessage): Promise<void>
  /** Sends a status that the node accepts. */
  shakeHands(changes?: Partial<PeerStatus>): Promise<void>
  /** True while the node keeps the connection. */
  readonly isConnected: boolean
  stop(): Promise<void>
}

/** Gets each message on a stream that the node opens. */
type OnFrame = (protocol: string, frame: Uint8Array) => void

const FRAME_LIMITS = { bytesMax: 16 * 1024 * 1024, silenceMs: 60_000 }

const readAll = async (stream: Stream, protocol: string, onFrame: OnFrame): Promise<void> => {
  try {
    for await (const frame of readFrames(stream, FRAME_LIMITS)) onFrame(protocol, frame.slice())
  } catch {
    // The connection ended.
  }
}

export const dialRaw = async (
  enode: string,
  privateKey: Uint8Array = randomBytes(32),
  genesisHash: Hash = GENESIS,
  onFrame?: OnFrame,
): Promise<RawPeer> => {
  const protocols = protocolsOf(genesisHash)
  const host = await createHost({
    privateKey,
    host: '127.0.0.1',
    port: 0,
    gater: {},
    connectionsMax: 10,
    gossip: gossipOptions(protocols.transactions),
  })
  const port = await startHost(host, { host: '127.0.0.1', port: 0 })
  for (const protocol of [STATUS_PROTOCOL, protocols.consensus, protocols.blocks])
    await host.handle(protocol, stream => {
      if (onFrame !== undefined) void readAll(stream, protocol, onFrame)
    })
  const connection = await host.dial(dialAddressOf(parseEnode(enode))).catch(async cause => {
    await host.stop()
    throw cause
  })
  let statusStream: Stream | undefined
  const tell = async (message: StatusMessage): Promise<void> => {
    statusStream ??= await connection.newStream(STATUS_PROTOCOL)
    statusStream.send(encodeFrame(encodeStatusMessage(message)))
  }
  return {
    host,
    protocols,
    open: protocol => connection.newStream(protocol),
    tell,
    shakeHands: changes => tell({ kind: 'status', status: statusOf(changes), host: '127.0.0.1', port }),
    get isConnected() {
      return connection.status === 'open'
    },
    stop: async () => {
      await host.stop()
    },
  }
}

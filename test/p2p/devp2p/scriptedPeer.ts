import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { publicKeyOf } from '../../../core/crypto/crypto.ts'
import { joinRlpList } from '../../../core/rlp/list.ts'
import { encodeRlp, type RlpInput } from '../../../core/rlp/rlp.ts'
import { encodeHello } from '../../../p2p/devp2p/base/hello.ts'
import { decodeDisconnect } from '../../../p2p/devp2p/base/disconnect.ts'
import { encodeStatus, type EthStatus } from '../../../p2p/devp2p/eth/status.ts'
import { createFrameReader, createFrameWriter } from '../../../p2p/devp2p/rlpx/frames.ts'
import { dialHandshake } from '../../../p2p/devp2p/rlpx/handshake.ts'
import { compressSnappy } from '../../../p2p/devp2p/snappy/compress.ts'
import { decompressSnappy } from '../../../p2p/devp2p/snappy/decompress.ts'
import { parseEnode } from '../../../p2p/transport/enode.ts'
import { until } from '../networks.ts'
import { BLOCKS } from './nodes.ts'
import type { SampleBlock } from './sampleBlocks.ts'

const ETH_OFFSET = 0x10
const MAX = 16 * 1024 * 1024

/** A message that the node sent: its id among all, inflated. */
export type Heard = { readonly id: number; readonly payload: Uint8Array }

/** A peer that sends what a test tells it to, as Besu would or not. */
export type ScriptedPeer = {
  readonly heard: readonly Heard[]
  /** The reason of the disconnect that the node sent. */
  readonly reason: () => number | undefined
  readonly isClosed: () => boolean
  send(id: number, payload: Uint8Array): void
  /** A message as it is, not compressed. */
  sendAsIs(id: number, payload: Uint8Array): void
  /** Bytes that are no frame. */
  sendRaw(bytes: Uint8Array): void
  sendEth(code: number, content: RlpInput): void
  sendStatus(changes?: Partial<EthStatus>): void
  /** The payload of the first message of eth with this code that is not taken yet. */
  next(code: number): Promise<Uint8Array>
  close(): void
}

export type ScriptOptions = {
  readonly capabilities?: readonly (readonly [string, number])[]
  readonly publicKey?: Uint8Array
  readonly privateKey?: Uint8Array
  readonly client?: string
}

/** A disconnect is compressed only if it was sent after both hellos. */
const inflatedOrPlain = (payload: Uint8Array): Uint8Array => {
  try {
    return decompressSnappy(payload, MAX)
  } catch {
    return payload
  }
}

export const connectScripted = async (enode: string, options: ScriptOptions = {}): Promise<ScriptedPeer> => {
  const { publicKey, port } = parseEnode(enode)
  const privateKey = options.privateKey ?? randomBytes(32)
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  const handshaken = await dialHandshake(socket, publicKey, { privateKey, random: randomBytes })
  const write = createFrameWriter(handshaken.secrets)
  const reader = createFrameReader(handshaken.secrets, MAX)
  const heard: Heard[] = []
  const taken = new Set<Heard>()
  const state: { reason: number | undefined; closed: boolean } = { reason: undefined, closed: false }
  const read = (data: Uint8Array): void => {
    reader.push(data, ({ id, payload }) => {
      if (id === 1) state.reason = decodeDisconnect(inflatedOrPlain(payload)) ?? -1
      else heard.push({ id, payload: id === 0 ? payload : decompressSnappy(payload, MAX) })
    })
  }
  socket.on('data', read)
  socket.on('close', () => {
    state.closed = true
  })
  if (handshaken.rest.length > 0) read(handshaken.rest)
  socket.resume()
  const capabilities = options.capabilities ?? [
    ['eth', 68],
    ['istanbul', 100],
  ]
  socket.write(
    write(
      0,
      encodeHello({
        version: 5,
        client: options.client ?? 'besu/v26.8.0/linux-x86_64/openjdk-java-21',
        capabilities: capabilities.map(([name, version]) => ({ name, version })),
        port: 30_303,
        publicKey: options.publicKey ?? publicKeyOf(privateKey),
      }),
    ),
  )
  const send = (id: number, payload: Uint8Array): void =>
    void socket.write(write(id, compressSnappy(payload)))
  const genesis = BLOCKS[0] as SampleBlock
  return {
    heard,
    sendAsIs: (id, payload) => void socket.write(write(id, payload)),
    reason: () => state.reason,
    isClosed: () => state.closed,
    send,
    sendRaw: bytes => void socket.write(bytes),
    sendEth: (code, content) => send(ETH_OFFSET + code, encodeRlp(content)),
    sendStatus: (changes = {}) =>
      send(
        ETH_OFFSET,
        encodeStatus({
          version: 68,
          networkId: 1337n,
          genesisHash: genesis.hash,
          forkId: { hash: new Uint8Array(4), next: 0n },
          head: { hash: genesis.hash, totalDifficulty: 1n },
          ...changes,
        }),
      ),
    next: async code => {
      const find = (): Heard | undefined =>
        heard.find(each => each.id === ETH_OFFSET + code && !taken.has(each))
      await until(() => find() !== undefined)
      const found = find() as Heard
      taken.add(found)
      return found.payload
    },
    close: () => socket.destroy(),
  }
}

/** `[id, [item…]]` of encoded items. */
export const answer = (id: bigint, items: readonly Uint8Array[]): Uint8Array =>
  joinRlpList([encodeRlp(id), joinRlpList(items)])

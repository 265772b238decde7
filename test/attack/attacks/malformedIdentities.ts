import { randomBytes } from 'node:crypto'
import { createConnection } from 'node:net'
import { generateKeyPair } from '@libp2p/crypto/keys'
import type { Connection, PrivateKey } from '@libp2p/interface'
import { noise } from '@libp2p/noise'
import { tcp } from '@libp2p/tcp'
import { yamux } from '@libp2p/yamux'
import { createLibp2p } from 'libp2p'
import { dialAddressOf } from '../../../p2p/transport/identity.ts'
import { type Enode, parseEnode } from '../../../p2p/transport/enode.ts'
import { enodeOf } from '../../cluster/support/ownNode.ts'
import type { Attack, AttackContext } from '../attack.ts'

const ROUNDS = 12
const ANSWER_MS = 1_500

const MULTISTREAM = Buffer.from('\x13/multistream/1.0.0\n\x07/noise\n')

/** A frame of noise: two bytes of length, and the message. */
const noiseFrame = (message: Uint8Array): Buffer => {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(message.length)
  return Buffer.concat([length, message])
}

/** Points of curve25519 of small order: whoever computes with them gets zero, whatever its secret is. */
const LOW_ORDER = [
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0100000000000000000000000000000000000000000000000000000000000000',
  'e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800',
  '5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
].map(digits => Buffer.from(digits, 'hex'))

/** First messages of a handshake that no honest node sends. */
const handshakes = (): readonly (readonly [what: string, bytes: Uint8Array])[] => [
  ['no protocol', randomBytes(1_000)],
  ['a protocol name without an end', Buffer.concat([Buffer.of(0xff, 0xff, 0xff, 0x7f), randomBytes(2_000)])],
  ['HTTP', Buffer.from('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')],
  ['TLS', Buffer.concat([Buffer.from('160301020001', 'hex'), randomBytes(512)])],
  ['an empty key', Buffer.concat([MULTISTREAM, noiseFrame(new Uint8Array(0))])],
  ['half a key', Buffer.concat([MULTISTREAM, noiseFrame(randomBytes(16))])],
  ['a random key', Buffer.concat([MULTISTREAM, noiseFrame(randomBytes(32)), noiseFrame(randomBytes(200))])],
  ['the longest frame', Buffer.concat([MULTISTREAM, noiseFrame(randomBytes(65_535))])],
  ...LOW_ORDER.map(
    (point, index) =>
      [
        `a point of small order (${index})`,
        Buffer.concat([MULTISTREAM, noiseFrame(point), noiseFrame(randomBytes(96))]),
      ] as const,
  ),
]

/** Whether the node ended the connection. */
const isEnded = ({ host, port }: Enode, bytes: Uint8Array): Promise<boolean> =>
  new Promise(resolve => {
    const socket = createConnection({ host, port })
    const timer = setTimeout(() => {
      socket.destroy()
      resolve(false)
    }, ANSWER_MS)
    socket.on('error', () => socket.destroy())
    socket.on('data', () => undefined)
    socket.on('close', () => {
      clearTimeout(timer)
      resolve(true)
    })
    socket.write(bytes)
    socket.end()
  })

/** Identities that are sound in libp2p, and no node's: their keys are not of secp256k1. */
const IDENTITIES = ['Ed25519', 'RSA'] as const

const identityOf = (kind: (typeof IDENTITIES)[number]): Promise<PrivateKey> =>
  kind === 'RSA' ? generateKeyPair('RSA', 2048) : generateKeyPair('Ed25519')

const once = (target: Connection, event: 'close'): Promise<void> =>
  new Promise(resolve => target.addEventListener(event, () => resolve(), { once: true }))

/** True where the node still has the connection of such an identity after a while. */
const isTaken = async (enode: Enode, privateKey: PrivateKey): Promise<boolean> => {
  const host = await createLibp2p({
    privateKey,
    transports: [tcp()],
    connectionEncrypters: [noise()],
    streamMuxers: [yamux()],
  })
  try {
    const connection = await host.dial(dialAddressOf(enode)).catch(() => undefined)
    if (connection === undefined) return false
    await Promise.race([once(connection, 'close'), Bun.sleep(ANSWER_MS)])
    return connection.status === 'open'
  } finally {
    await host.stop()
  }
}

/** Strings that are no enode, for who administers a node. */
const ENODES: readonly unknown[] = [
  '',
  'enode://',
  `enode://${'0'.repeat(128)}@127.0.0.1:30303`,
  `enode://${'f'.repeat(128)}@127.0.0.1:30303`,
  `enode://${'ab'.repeat(64)}@127.0.0.1:0`,
  `enode://${'ab'.repeat(64)}@127.0.0.1:99999`,
  `enode://${'ab'.repeat(64)}@[::1:30303`,
  `enode://${'ab'.repeat(63)}@127.0.0.1:30303`,
  `enode://${'a'.repeat(1_000_000)}`,
  42,
  null,
  {},
]

const addPeers = async ({ cluster }: AttackContext): Promise<readonly string[]> => {
  const faults: string[] = []
  for (const enode of ENODES)
    try {
      await cluster.node(2).rpc('admin_addPeer', enode)
      faults.push(`admin_addPeer took ${String(enode).slice(0, 60)}`)
    } catch (error) {
      if (/-32603/.test(String(error))) faults.push(`an internal error for ${String(enode).slice(0, 60)}`)
    }
  return faults
}

export const malformedIdentities: Attack = {
  name: 'malformed-identities',
  what: 'Connects as peers with broken handshakes, points of small order, keys of other curves and wrong names.',
  run: async context => {
    const { cluster, say } = context
    const faults: string[] = []
    const enode = parseEnode(enodeOf(cluster.node(1)))
    for (let round = 0; round < ROUNDS; round++) {
      const ended = await Promise.all(
        handshakes().map(async ([what, bytes]) => ((await isEnded(enode, bytes)) ? '' : what)),
      )
      if (round === 0) say(`not ended within ${ANSWER_MS} ms: ${ended.filter(Boolean).join(', ') || 'none'}`)
    }
    for (const kind of IDENTITIES)
      if (await isTaken(enode, await identityOf(kind))) faults.push(`a peer with a key of ${kind} was taken`)
    return [...faults, ...(await addPeers(context))]
  },
}

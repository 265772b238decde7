import { randomBytes } from 'node:crypto'
import type { WireMessage } from '../../../core/qbft/message.ts'
import type { Key } from '../../core/chain/support/keys.ts'
import { type Attacker, startAttacker } from './attacker.ts'
import type { Cluster } from './cluster.ts'
import { futureMessages, prepareOf, repeated, roundChangeOf } from './hostileMessages.ts'

/**
 * Who floods: a stranger with one key, strangers that each come with a new one, the holder of a validator's key with messages
 * that are signed as they should be, or with ones that are not.
 */
export const FLOODERS = ['stranger', 'strangers', 'validator', 'forger'] as const
export type Flooder = (typeof FLOODERS)[number]

/** Signing takes the flooder longer than sending: a stranger's messages are read by nobody, and may repeat. */
const DISTINCT = 3_000
/** What a connection that is refused would have sent. */
const REFUSED_MESSAGES = 5_000
/** The flooder's own pause after a refusal, of no use to the node. */
const REFUSED_PAUSE_MS = 20

export type Flood = {
  /** Handed to the socket before it closed. */
  sent: number
  /** What could not be sent because the connection was refused. */
  refused: number
  connections: number
  refusals: number
}

/** Of later heights, and of later rounds of the heights that come next; no two alike. */
function* futures(key: Key, head: number): Generator<WireMessage> {
  for (let index = 0; ; index++) {
    const ahead = 1 + (index % 40)
    yield index % 4 === 3
      ? roundChangeOf(key, BigInt(head + ahead), 1 + index)
      : prepareOf(key, BigInt(head + ahead), index % 7, index)
  }
}

/** Well formed, of later heights, signed by nobody knows whom: each is looked into as far as its signature. */
function* forged(key: Key, head: number): Generator<WireMessage> {
  const genuine = futureMessages(key, head, DISTINCT)
  for (let index = 0; ; index++) {
    const { code, data } = genuine[index % genuine.length] as WireMessage
    const wrong = data.slice()
    // Half of the signature, the one that ends before its last 33 bytes.
    wrong.set(randomBytes(24), wrong.length - 33 - 24)
    yield { code, data: wrong }
  }
}

const messagesOf = (flooder: Flooder, key: Key, head: number): (() => Generator<WireMessage>) => {
  if (flooder === 'validator') return () => futures(key, head)
  if (flooder === 'forger') return () => forged(key, head)
  const messages = futureMessages(key, head, DISTINCT)
  return () => repeated(messages, Infinity)
}

function* first(messages: Generator<WireMessage>, count: number): Generator<WireMessage> {
  for (let index = 0; index < count; index++) {
    const next = messages.next()
    if (next.done === true) return
    yield next.value
  }
}

/**
 * Floods node 1 until so many messages were sent or refused, over one connection after the other.
 * @param key of a validator that does not run; strangers send what it signed.
 */
export const flood = async (
  cluster: Cluster,
  flooder: Flooder,
  key: Key,
  messages: number,
  onConnection: (flood: Flood) => void,
): Promise<Flood> => {
  const total: Flood = { sent: 0, refused: 0, connections: 0, refusals: 0 }
  const isValidator = flooder === 'validator' || flooder === 'forger'
  const one = isValidator ? key.privateKey : randomBytes(32)
  const make = messagesOf(flooder, key, await cluster.head(1))()
  while (total.sent + total.refused < messages) {
    const privateKey = flooder === 'strangers' ? randomBytes(32) : one
    const attacker: Attacker | undefined = await startAttacker(cluster, 1, privateKey).catch(() => undefined)
    total.connections++
    const left = messages - total.sent - total.refused
    const sent = (await attacker?.flood(first(make, left)).catch(() => 0)) ?? 0
    await attacker?.stop()
    total.sent += sent
    if (sent === 0) {
      total.refusals++
      total.refused += Math.min(left, REFUSED_MESSAGES)
      await Bun.sleep(REFUSED_PAUSE_MS)
    } else onConnection(total)
  }
  return total
}

import { countItems } from '../../core/rlp/rawItem.ts'
import {
  decodeRlp,
  encodeRlp,
  RlpError,
  type RlpItem,
  rlpBytes,
  rlpList,
  rlpScalar,
} from '../../core/rlp/rlp.ts'
import { NetworkError } from '../error.ts'
import type { PeerStatus } from '../network.ts'
import { decodeStatement, encodeStatement } from '../validatorStatement.ts'

/** A message of the status protocol. The first byte is its code. */
export type StatusMessage =
  | {
      readonly kind: 'status'
      readonly status: PeerStatus
      /** The endpoint of the sender, as far as it knows; port 0 when it does not listen. */
      readonly host: string
      readonly port: number
      /** Random for each start of a node, so that two nodes with one key can be told apart; undefined from earlier releases. */
      readonly instance?: string
    }
  | ({ readonly kind: 'update' } & StatusUpdate & SenderTime)
  /** The sender closes the connection, and names other nodes to try. */
  | {
      readonly kind: 'goodbye'
      readonly reason: string
      /** The receiver is refused, and should not dial again soon. */
      readonly refused: boolean
      /** Another node with the key of the receiver is connected with the sender. */
      readonly keyInUse?: boolean
      readonly enodes: readonly string[]
    }
  /** Keep-alive. */
  | ({ readonly kind: 'alive' } & SenderTime)

/** The clock of the sender, milliseconds since 1970; undefined from nodes of earlier releases. */
export type SenderTime = { readonly timeMs?: number }

/** The part of a status that changes while a node runs. */
export type StatusUpdate = Pick<PeerStatus, 'headNumber' | 'headHash' | 'neighbours' | 'historyStart'>

/** A genesis file with some hundred transitions fits. */
export const STATUS_BYTES_MAX = 256 * 1024
/** More peers than any node keeps. */
const NEIGHBOURS_MAX = 1024
/** More than any release sends. */
const FEATURES_MAX = 16
const CONFIGURATION_ENTRIES_MAX = 1024
/** Bytes of one text: a name, a value or a reason. */
const TEXT_BYTES_MAX = 16 * 1024
/** RLP items of one message: a name, a value and a list for each entry, the neighbours, and the rest. */
const ITEMS_MAX = 3 * CONFIGURATION_ENTRIES_MAX + NEIGHBOURS_MAX + 64
/** A reason is logged. */
const REASON_LENGTH_MAX = 256
/** Enodes that a full node names. */
export const GOODBYE_ENODES_MAX = 16

/** Prefix of the instance, which is sent as the last feature: earlier releases ignore features that they do not know. */
const INSTANCE = 'instance/'

/** The refusal flag of a goodbye; earlier releases read both as refused. */
const REFUSED = 1
const REFUSED_KEY_IN_USE = 2

const STATUS = 0
const UPDATE = 1
const GOODBYE = 2
const ALIVE = 3

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

const bytesOf = (text: string): Uint8Array => encoder.encode(text)

/** Earlier releases ignore further items. */
const lastItems = ({ timeMs, historyStart }: SenderTime & Pick<PeerStatus, 'historyStart'>) => {
  if (timeMs === undefined) return []
  return historyStart === undefined ? [timeMs] : [timeMs, historyStart]
}

/** Stands for no statement, as one of a version that nobody reads. */
const NO_STATEMENT = [0]

/** Earlier releases ignore further items. */
const optionalItems = ({ statement, historyStart }: PeerStatus) => {
  const first = statement === undefined ? NO_STATEMENT : encodeStatement(statement)
  if (historyStart !== undefined) return [first, historyStart]
  return statement === undefined ? [] : [first]
}

const withCode = (code: number, body: Uint8Array): Uint8Array => {
  const message = new Uint8Array(1 + body.length)
  message[0] = code
  message.set(body, 1)
  return message
}

export const encodeStatusMessage = (message: StatusMessage): Uint8Array => {
  switch (message.kind) {
    case 'status': {
      const { status, host, port, instance } = message
      const features = status.features.slice(0, FEATURES_MAX - 1)
      return withCode(
        STATUS,
        encodeRlp([
          status.networkId,
          status.genesisHash,
          Object.entries(status.configuration).map(([name, value]) => [bytesOf(name), bytesOf(value)]),
          status.headNumber,
          status.headHash,
          bytesOf(status.client),
          status.neighbours.slice(0, NEIGHBOURS_MAX),
          bytesOf(host),
          port,
          [...features, ...(instance === undefined ? [] : [`${INSTANCE}${instance}`])].map(bytesOf),
          ...optionalItems(status),
        ]),
      )
    }
    case 'update':
      return withCode(
        UPDATE,
        encodeRlp([
          message.headNumber,
          message.headHash,
          message.neighbours.slice(0, NEIGHBOURS_MAX),
          ...lastItems(message),
        ]),
      )
    case 'goodbye':
      return withCode(
        GOODBYE,
        encodeRlp([
          bytesOf(message.reason),
          message.keyInUse === true ? REFUSED_KEY_IN_USE : message.refused ? REFUSED : 0,
          message.enodes.slice(0, GOODBYE_ENODES_MAX).map(bytesOf),
        ]),
      )
    default:
      return withCode(ALIVE, encodeRlp(lastItems(message)))
  }
}

/** @throws NetworkError, RlpError when the bytes are not a status message */
export const decodeStatusMessage = (bytes: Uint8Array): StatusMessage => {
  const body = bytes.subarray(1)
  if (countItems(body, ITEMS_MAX) > ITEMS_MAX)
    throw new NetworkError('BAD_MESSAGE', `more than ${ITEMS_MAX} items in a status message`)
  switch (bytes[0]) {
    case STATUS:
      return statusOf(rlpList(decodeRlp(body), 'a status'))
    case UPDATE: {
      const [headNumber, headHash, neighbours, time, start] = rlpList(decodeRlp(body), 'a status update')
      return { kind: 'update', ...updateOf(headNumber, headHash, neighbours, start), ...timeOf(time) }
    }
    case GOODBYE: {
      const [reason, flag, enodes] = rlpList(decodeRlp(body), 'a goodbye')
      const refused = rlpScalar(flag, 'the refusal flag', 1)
      return {
        kind: 'goodbye',
        reason: textItem(reason, 'a reason').slice(0, REASON_LENGTH_MAX),
        refused: refused !== 0n,
        ...(refused === BigInt(REFUSED_KEY_IN_USE) ? { keyInUse: true } : {}),
        enodes: listOf(enodes, 'enodes', GOODBYE_ENODES_MAX).map(item => textItem(item, 'an enode')),
      }
    }
    case ALIVE:
      return {
        kind: 'alive',
        ...(body.length === 0 ? {} : timeOf(rlpList(decodeRlp(body), 'a keep-alive')[0])),
      }
    default:
      throw new NetworkError('BAD_MESSAGE', `no status message has code ${bytes[0] ?? 'nothing'}`)
  }
}

const statusOf = (items: RlpItem[]): StatusMessage => {
  const [
    networkId,
    genesisHash,
    configuration,
    headNumber,
    headHash,
    client,
    neighbours,
    host,
    port,
    features,
    statement,
    historyStart,
  ] = items
  // Earlier releases send none.
  const names =
    features === undefined
      ? []
      : listOf(features, 'the features', FEATURES_MAX).map(item => textItem(item, 'a feature'))
  const last = names.at(-1)
  const instance = last?.startsWith(INSTANCE) === true ? last.slice(INSTANCE.length) : undefined
  const others = instance === undefined ? names : names.slice(0, -1)
  if (others.some(name => name.startsWith(INSTANCE)))
    throw new NetworkError('BAD_MESSAGE', 'an instance that is not the last feature')
  return {
    kind: 'status',
    status: {
      networkId: rlpScalar(networkId, 'the network id'),
      genesisHash: rlpBytes(genesisHash, 'the genesis hash', 32),
      configuration: configurationOf(configuration),
      client: textItem(client, 'the client'),
      features: others,
      ...updateOf(headNumber, headHash, neighbours, historyStart),
      ...statementOf(statement),
    },
    host: textItem(host, 'the host'),
    port: Number(rlpScalar(port, 'the port', 2)),
    ...(instance === undefined ? {} : { instance }),
  }
}

/** Names in the order in which an object has them, each once. */
const configurationOf = (item: RlpItem | undefined): PeerStatus['configuration'] => {
  const entries = listOf(item, 'the configuration', CONFIGURATION_ENTRIES_MAX).map(entry => {
    const parts = rlpList(entry, 'an entry of the configuration')
    if (parts.length !== 2)
      throw new RlpError(`an entry of the configuration has 2 items, not ${parts.length}`)
    return [textItem(parts[0], 'the name of an entry'), textItem(parts[1], 'the value of an entry')] as const
  })
  const configuration = Object.fromEntries(entries)
  const names = Object.keys(configuration)
  if (names.length !== entries.length || names.some((name, index) => name !== entries[index]?.[0]))
    throw new NetworkError('BAD_MESSAGE', 'a name of the configuration twice, or out of order')
  return configuration
}

const updateOf = (
  headNumber: RlpItem | undefined,
  headHash: RlpItem | undefined,
  neighbours: RlpItem | undefined,
  historyStart: RlpItem | undefined,
): StatusUpdate => ({
  headNumber: rlpScalar(headNumber, 'the number of the head', 8),
  headHash: rlpBytes(headHash, 'the hash of the head', 32),
  neighbours: listOf(neighbours, 'the neighbours', NEIGHBOURS_MAX).map(item =>
    rlpBytes(item, 'the address of a neighbour', 20),
  ),
  ...(historyStart === undefined
    ? {}
    : { historyStart: rlpScalar(historyStart, 'the start of the history', 8) }),
})

const statementOf = (item: RlpItem | undefined): Pick<PeerStatus, 'statement'> => {
  const statement = decodeStatement(item)
  return statement === undefined ? {} : { statement }
}

const timeOf = (item: RlpItem | undefined): SenderTime =>
  item === undefined ? {} : { timeMs: Number(rlpScalar(item, 'the time', 6)) }

const listOf = (item: RlpItem | undefined, what: string, most: number): RlpItem[] => {
  const items = rlpList(item, what)
  if (items.length > most)
    throw new NetworkError('OVERSIZED', `${what} are ${items.length}, of ${most} at most`)
  return items
}

const textItem = (item: RlpItem | undefined, what: string): string => {
  const bytes = rlpBytes(item, what)
  if (bytes.length > TEXT_BYTES_MAX)
    throw new NetworkError('OVERSIZED', `${what} has ${bytes.length} bytes, of ${TEXT_BYTES_MAX} at most`)
  try {
    return decoder.decode(bytes)
  } catch (cause) {
    throw new NetworkError('BAD_MESSAGE', `${what} is not UTF-8`, { cause })
  }
}

import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { type BlockMessage, blockMessageParts, decodeBlockMessage } from '../../p2p/blocks/blockMessages.ts'
import {
  decodeStatusMessage,
  encodeStatusMessage,
  type StatusMessage,
} from '../../p2p/peers/statusMessage.ts'
import { protocolsOf, STATUS_PROTOCOL } from '../../p2p/transport/protocols.ts'
import { concatBytes } from '../../core/bytes/bytes.ts'

const HASH = new Uint8Array(32).fill(7)

/** The type checker asks for an example of each kind. */
const BLOCK_MESSAGES: { readonly [Kind in BlockMessage['kind']]: BlockMessage & { readonly kind: Kind } } = {
  announcement: { kind: 'announcement', hash: HASH, number: 9n },
  request: { kind: 'request', hash: HASH },
  block: { kind: 'block', hash: HASH, block: Uint8Array.of(1, 2, 3) },
}

const STATUS_MESSAGES: {
  readonly [Kind in StatusMessage['kind']]: StatusMessage & { readonly kind: Kind }
} = {
  status: {
    kind: 'status',
    status: {
      networkId: 1337n,
      genesisHash: HASH,
      configuration: { chainId: '1337' },
      headNumber: 9n,
      headHash: HASH,
      client: 'test',
      neighbours: [new Uint8Array(20)],
      features: ['positions/1'],
    },
    host: '10.0.0.1',
    port: 30_303,
  },
  update: { kind: 'update', headNumber: 9n, headHash: HASH, neighbours: [] },
  goodbye: { kind: 'goodbye', reason: 'the node stops', refused: false, enodes: [] },
  alive: { kind: 'alive' },
}

const sourceOf = (path: string): string => readFileSync(new URL(`../../p2p/${path}`, import.meta.url), 'utf8')

/** The rows of the table of protocols, by the name of the protocol. */
const rows = new Map(
  [...sourceOf('README.md').matchAll(/^\| `(\/quorate\/[^`]+)` \|(.*)$/gm)].map(([, name, row]) => [
    name as string,
    row as string,
  ]),
)

const protocols = protocolsOf(HASH)
const documentedName = (name: string): string => name.replace(/\/[0-9a-f]{64}\//, '/<genesis>/')

describe('given the protocols of the network', () => {
  test('when the table in p2p/README.md is read, then it has a row for each, and no other', () => {
    const expected = [STATUS_PROTOCOL, ...Object.values(protocols).map(documentedName)]
    expect([...rows.keys()].sort()).toEqual(expected.sort())
  })

  test('when a peer opens a stream or a topic, then there is a handler for each protocol', () => {
    const handlers = sourceOf('node/streams.ts') + sourceOf('node/services.ts')
    const unhandled = Object.keys(protocols).filter(
      name => !new RegExp(`protocols\\.${name}\\b`).test(handlers),
    )
    expect(unhandled).toEqual([])
  })
})

describe('given a message of each kind', () => {
  test.each(Object.values(BLOCK_MESSAGES))('when $kind is encoded, then it decodes to the same', message => {
    expect(decodeBlockMessage(concatBytes(...blockMessageParts(message)))).toEqual(message)
  })

  test.each(Object.values(STATUS_MESSAGES))('when $kind is encoded, then it decodes to the same', message => {
    expect(decodeStatusMessage(encodeStatusMessage(message))).toEqual(message)
  })

  test('when the table in p2p/README.md is read, then its protocol names the kind', () => {
    const missing = (protocol: string, kinds: readonly string[]): readonly string[] =>
      kinds.filter(kind => rows.get(protocol)?.includes(kind) !== true)
    expect(missing(documentedName(protocols.blocks), Object.keys(BLOCK_MESSAGES))).toEqual([])
    expect(missing(STATUS_PROTOCOL, Object.keys(STATUS_MESSAGES))).toEqual([])
  })
})

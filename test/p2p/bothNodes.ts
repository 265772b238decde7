import { randomBytes } from 'node:crypto'
import type { Address } from '../../core/bytes/bytes.ts'
import { toBareHex, toHex } from '../../core/bytes/hex.ts'
import { addressOfPrivateKey, publicKeyOf } from '../../core/crypto/crypto.ts'
import { startBoth } from '../../p2p/both/startBoth.ts'
import type { Network } from '../../p2p/network.ts'
import { formatEnode } from '../../p2p/transport/enode.ts'
import { freePorts, takenPorts } from '../../runtime/devnet/ports.ts'
import { createYield } from '../../runtime/scheduler.ts'
import { LOOPBACK } from '../support/loopback.ts'
import { BLOCKS, statusAt } from './devp2p/nodes.ts'
import { type SampleBlock, serveSampleBlocks } from './devp2p/sampleBlocks.ts'

const status = statusAt(BLOCKS[0] as SampleBlock, { client: 'quorate/test' })
const none = async function* () {}

/** Two free ports of which one follows the other, as they do by default. */
export const portPair = async (): Promise<readonly [number, number]> => {
  for (;;) {
    const [port = 0] = await freePorts(1)
    if ((await takenPorts([port + 1])).length === 0) return [port, port + 1]
  }
}

/** What the handlers of a node were told, and its log. */
type Heard = {
  readonly events: string[]
  readonly transactions: Uint8Array[]
  readonly codes: number[]
  readonly unreached: string[]
  readonly keysInUse: string[]
  readonly lines: string[]
}

/** A node over both transports. */
export type BothNode = {
  readonly network: Network
  readonly address: Address
  readonly heard: Heard
  readonly libp2pEnode: string
}

export type BothStartOptions = {
  readonly privateKey?: Uint8Array
  readonly refuses?: (publicKey: Uint8Array) => string | undefined
}

export const startBothNode = async (
  ports: readonly [devp2p: number, libp2p: number],
  staticNodes: readonly string[],
  { privateKey = randomBytes(32), refuses = () => undefined }: BothStartOptions = {},
): Promise<BothNode> => {
  const heard: Heard = {
    events: [],
    transactions: [],
    codes: [],
    unreached: [],
    keysInUse: [],
    lines: [],
  }
  const note = (): void => undefined
  const log = (text: string, values: Record<string, unknown> = {}): void =>
    void heard.lines.push(text.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name])))
  const network = await startBoth({
    privateKey,
    ...LOOPBACK,
    port: ports[0],
    libp2pPort: ports[1],
    staticNodes,
    discovery: false,
    refuses,
    nowMs: () => Date.now(),
    pause: createYield(),
    chain: { consensus: { kind: 'ethash' }, genesisDifficulty: 1n, forks: { blocks: [], times: [] } },
    log: { debug: log, info: log, warn: log, error: log },
    handlers: {
      status: () => status,
      roleOf: () => 'validator',
      onConsensusMessage: (_peer, code) => void heard.codes.push(code),
      onTransactions: (_peer, transactions) => {
        heard.transactions.push(...transactions)
        return { isForwarded: true, held: [...transactions.keys()] }
      },
      onNewBlock: note,
      blocks: none,
      records: none,
      poolHashes: none,
      poolTransactions: none,
      receiptsByHash: none,
      ...serveSampleBlocks(BLOCKS),
      onPeer: peer => void heard.events.push(`came ${toBareHex(peer.address)}`),
      onGossip: note,
      onStatus: note,
      onPeerDisconnected: peer => void heard.events.push(`went ${toBareHex(peer.address)}`),
      onRefused: note,
      onDialFailed: enode => void heard.unreached.push(enode),
      onKeyInUse: address => void heard.keysInUse.push(toHex(address)),
    },
  })
  const enode = { publicKey: publicKeyOf(privateKey), host: '127.0.0.1', port: ports[1] }
  return { network, address: addressOfPrivateKey(privateKey), heard, libp2pEnode: formatEnode(enode) }
}

import { describe, expect } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { toHex } from '../../core/bytes/hex.ts'
import { addressOfPrivateKey } from '../../core/crypto/crypto.ts'
import { POOL_TRANSACTION_BYTES_MAX } from '../../core/txpool/limits.ts'
import { type Node, peersOf, someTransaction, type StartOptions, withNodes } from './networks.ts'
import { independent } from '../support/scenario.ts'
import { until } from '../support/until.ts'

/** Gossip streams open a moment after connecting: announces until the other node has heard of it. */
const untilGossip = (from: Node, to: Node): Promise<true> =>
  until(
    () => {
      from.network.announceTransactions([someTransaction(1)])
      return to.transactions.length > 0
    },
    { pollMs: 50 },
  )

const byName = (enode: string): string => enode.replace('127.0.0.1', 'localhost')

const allConnected = (nodes: readonly Node[], peers = nodes.length - 1): boolean =>
  nodes.every(node => node.network.peers().length === peers)

/** Three nodes in a line: the middle one has the options, and alone is connected with both others. */
const startLine = async (
  start: (options?: StartOptions) => Promise<Node>,
  options: StartOptions = {},
): Promise<readonly [first: Node, middle: Node, last: Node]> => {
  const first = await start({ discovery: false })
  const middle = await start({ discovery: false, bootnodes: [first.network.enode], ...options })
  const last = await start({ discovery: false, bootnodes: [middle.network.enode] })
  await until(() => first.connections === 1 && middle.connections === 2 && last.connections === 1)
  return [first, middle, last]
}

describe('given nodes that know one bootnode by host name', () => {
  independent('when they start, then they find one another', () =>
    withNodes(async start => {
      const boot = await start()
      const bootnodes = [byName(boot.network.enode)]
      const nodes = [boot, await start({ bootnodes }), await start({ bootnodes }), await start({ bootnodes })]
      await until(() => allConnected(nodes))
      const others = nodes.slice(1).map(node => node.network.enode)
      expect(peersOf(boot)).toEqual(others.sort())
    }),
  )

  independent('when discovery is off, then they do not connect with one another', () =>
    withNodes(async start => {
      const boot = await start()
      const bootnodes = [boot.network.enode]
      const b = await start({ bootnodes, discovery: false })
      const c = await start({ bootnodes, discovery: false })
      // The bootnode counts a peer before that one has read its status: on a busy machine both ends are waited for.
      await until(() => boot.network.peers().length === 2 && allConnected([b, c], 1))
      // Longer than the request for enodes takes, which a node with discovery sends when it connects.
      await new Promise(resolve => setTimeout(resolve, 1000))
      expect(peersOf(b)).not.toContain(c.network.enode)
      expect(peersOf(c)).not.toContain(b.network.enode)
    }),
  )
})

describe('given nodes that were connected', () => {
  independent('when a node restarts that knows no other, then it is dialed', () =>
    withNodes(async start => {
      const a = await start()
      const privateKey = randomBytes(32)
      const b = await start({ privateKey, bootnodes: [a.network.enode] })
      await until(() => allConnected([a, b]))
      const { port } = b.network
      await b.stop()
      await until(() => a.network.peers().length === 0)
      const again = await start({ privateKey, port })
      await until(() => allConnected([a, again]))
      expect(again.network.peers()[0]?.inbound).toBe(true)
    }),
  )

  independent('given a node learned in an earlier run, then it is dialed, unless discovery is off', () =>
    withNodes(async start => {
      const a = await start()
      const b = await start({ learnedNodes: ['enode://1', a.network.enode] })
      await until(() => allConnected([a, b]))
      const c = await start({ learnedNodes: [a.network.enode], discovery: false })
      await new Promise(resolve => setTimeout(resolve, 500))
      expect(peersOf(c)).toEqual([])
    }),
  )
})

describe('connections', () => {
  independent('given its own enode among static nodes and bootnodes, then a node does not dial itself', () =>
    withNodes(async start => {
      const privateKey = randomBytes(32)
      const first = await start({ privateKey })
      const { enode, port } = first.network
      await first.stop()
      const node = await start({ privateKey, port, bootnodes: [enode], staticNodes: [enode] })
      expect(node.network.enode).toBe(enode)
      expect(node.network.addPeer(enode)).rejects.toThrow('Cannot add local node as peer.')
      expect(node.network.peers()).toEqual([])
    }),
  )

  independent(
    'given two nodes that dial each other at once, then one connection stays, and no message is lost',
    () =>
      withNodes(async start => {
        for (let i = 0; i < 5; i++) {
          const a = await start()
          const b = await start()
          await a.network.addPeer(b.network.enode)
          await b.network.addPeer(a.network.enode)
          await until(() => allConnected([a, b]))
          const to = addressOfPrivateKey(b.privateKey)
          for (let sent = 0; sent < 30; sent++) {
            expect(a.network.sendConsensus([to], 1, Uint8Array.of(sent))).toBe(1)
            await new Promise(resolve => setTimeout(resolve, i === 0 ? 100 : 1))
          }
          await until(() => b.consensus.length === 30)
          expect([a.connections, b.connections, a.disconnected, b.disconnected]).toEqual([1, 1, [], []])
        }
      }),
  )

  independent('given a peer that restarts on the same port, then they connect again', () =>
    withNodes(async start => {
      const privateKey = randomBytes(32)
      const a = await start({ privateKey })
      const { enode, port } = a.network
      const b = await start({ staticNodes: [byName(enode)] })
      await until(() => b.connections === 1)
      await a.stop()
      await until(() => b.network.peers().length === 0)
      expect(b.disconnected[0]?.reason).toBe('the peer closed it: the node stops')
      const again = await start({ privateKey, port })
      await until(() => allConnected([again, b]))
      expect(b.connections).toBe(2)
    }),
  )

  independent('given a full node, then it accepts a static node, and names its peers to others', () =>
    withNodes(async start => {
      const full = await start({ maxPeers: 1 })
      const bootnodes = [full.network.enode]
      const b = await start({ bootnodes })
      await until(() => allConnected([full, b]))
      const c = await start({ bootnodes })
      await until(() => !allConnected([b, c], 1) && c.network.peers().length === 1)
      expect(peersOf(c)).toEqual([b.network.enode])
      expect(peersOf(full)).toEqual([b.network.enode])
      const d = await start()
      await full.network.addPeer(d.network.enode)
      await until(() => d.network.peers().length === 1 && full.network.peers().length === 2)
    }),
  )

  independent('given a limit of peers that dial, then it keeps no validator and no static node out', () =>
    withNodes(async start => {
      const a = await start({ inboundPeersMax: 1, discovery: false, roleOf: () => 'other' })
      const bootnodes = [a.network.enode]
      const b = await start({ bootnodes })
      await until(() => allConnected([a, b]))
      const c = await start({ bootnodes })
      await until(() => c.network.peers().length === 1)
      expect(peersOf(a)).toEqual([b.network.enode])
      await a.network.addPeer(c.network.enode)
      await until(() => a.network.peers().length === 2)
    }),
  )

  independent('given a node that is refused, then it is not connected, and it gets the reason', () =>
    withNodes(async start => {
      const allowed = new Set<string>()
      const seen: string[] = []
      const a = await start({
        refuses: (key, host, port) => {
          seen.push(`${host}:${port}`)
          return allowed.has(key.toString()) ? undefined : 'not in the allowlist'
        },
      })
      const b = await start({ bootnodes: [a.network.enode] })
      await until(() => b.lines.some(({ values }) => String(values?.['reason']).includes('allowlist')))
      expect(b.network.peers()).toEqual([])
      expect(seen).toContain(`127.0.0.1:${b.network.port}`)
      await a.network.addPeer(b.network.enode)
      await until(() => a.lines.some(({ values }) => values?.['reason'] === 'refused: not in the allowlist'))
      expect(a.connections).toBe(0)
    }),
  )

  independent('given a permission that ends, then the connection ends', () =>
    withNodes(async start => {
      let refusal: string | undefined
      const a = await start({ refuses: () => refusal })
      const b = await start({ bootnodes: [a.network.enode] })
      await until(() => allConnected([a, b]))
      refusal = 'removed from the allowlist'
      await until(() => a.disconnected.length === 1 && b.disconnected.length === 1)
      expect(b.disconnected[0]?.reason).toBe('the peer closed it: refused: removed from the allowlist')
    }),
  )

  independent('given addPeer and removePeer, then they return whether they changed something', () =>
    withNodes(async start => {
      const a = await start()
      const b = await start()
      expect([await a.network.addPeer(b.network.enode), await a.network.addPeer(b.network.enode)]).toEqual([
        true,
        false,
      ])
      await until(() => allConnected([a, b]))
      expect(await a.network.removePeer(b.network.enode)).toBe(true)
      expect(await a.network.removePeer(b.network.enode)).toBe(false)
      await until(() => allConnected([a, b], 0))
      expect(a.network.addPeer('enode://12@1.2.3.4:30303')).rejects.toThrow(
        'exactly 128 hexadecimal characters',
      )
    }),
  )

  independent('given a port in use, then the error names it', () =>
    withNodes(async start => {
      const a = await start()
      const error = await start({ port: a.network.port }).catch((cause: unknown) => cause)
      expect((error as { code?: string }).code).toBe('PORT_IN_USE')
    }),
  )
})

describe('given transactions', () => {
  independent(
    'when they are announced in a line of three nodes, then all get them, in several batches if necessary',
    () =>
      withNodes(async start => {
        const [a, b, c] = await startLine(start)
        const transactions = Array.from({ length: 80 }, () => someTransaction(32_000))
        const large = (node: Node) => node.transactions.filter(({ length }) => length > 32_000)
        // Gossip subscriptions are exchanged a moment after connecting.
        await untilGossip(a, c)
        a.network.announceTransactions(transactions)
        await until(() => large(c).length === 80)
        expect(new Set(large(c).map(toHex))).toEqual(new Set(transactions.map(toHex)))
        expect(large(b).length).toBe(80)
        expect(a.transactions).toEqual([])
      }),
  )

  independent('when one has the largest size that a pool accepts, then it arrives', () =>
    withNodes(async start => {
      const a = await start()
      const b = await start({ bootnodes: [a.network.enode] })
      await until(() => allConnected([a, b]))
      const largest = someTransaction(POOL_TRANSACTION_BYTES_MAX - 200)
      await until(
        () => {
          a.network.announceTransactions([largest])
          return b.transactions.length > 0
        },
        { pollMs: 200 },
      )
      expect(b.transactions[0]?.length).toBe(largest.length)
    }),
  )

  independent(
    'when the node is busy, then they wait for their turn before they are handled and forwarded',
    () =>
      withNodes(async start => {
        const waiting: (() => void)[] = []
        let isBusy = false
        const pause = (): Promise<void> =>
          isBusy ? new Promise(resolve => void waiting.push(resolve)) : Promise.resolve()
        const [a, b, c] = await startLine(start, { pause })
        await untilGossip(a, c)
        isBusy = true
        const late = someTransaction(1_000)
        const has = ({ transactions }: Node): boolean =>
          transactions.some(({ length }) => length === late.length)
        a.network.announceTransactions([late])
        await until(() => waiting.length > 0)
        await new Promise(resolve => setTimeout(resolve, 100))
        expect([has(b), has(c)]).toEqual([false, false])
        isBusy = false
        for (const resume of waiting) resume()
        await until(() => has(b) && has(c))
      }),
  )

  independent('when a node validates them, then it forwards useful ones and drops worthless ones', () =>
    withNodes(async start => {
      const WORTHLESS = 1_000
      const [a, b, c] = await startLine(start, {
        forwards: transactions => Promise.resolve(transactions.every(({ length }) => length < WORTHLESS)),
      })
      await untilGossip(a, c)
      const isWorthless = ({ length }: Uint8Array): boolean => length >= WORTHLESS
      a.network.announceTransactions([someTransaction(WORTHLESS)])
      await until(() => b.transactions.some(isWorthless))
      const before = c.transactions.length
      a.network.announceTransactions([someTransaction(2)])
      await until(() => c.transactions.length > before)
      expect(c.transactions.some(isWorthless)).toBe(false)
    }),
  )

  independent(
    'when bytes are no transaction, then they are not forwarded, and no forwarder is reported',
    () =>
      withNodes(async start => {
        const [a, b, c] = await startLine(start)
        await untilGossip(a, c)
        const junk = randomBytes(100)
        const isNoted = (node: Node): boolean =>
          node.lines.some(
            ({ text, values }) => text.includes('points') && values?.['what'] === 'invalid-message',
          )
        a.network.announceTransactions([junk])
        await until(() => isNoted(b))
        a.network.announceTransactions([someTransaction(2)])
        await until(() => c.transactions.length > 1)
        expect([isNoted(c), c.transactions.some(({ length }) => length === junk.length)]).toEqual([
          false,
          false,
        ])
      }),
  )
})

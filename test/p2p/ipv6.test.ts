import { networkInterfaces } from 'node:os'
import { describe, expect, test } from 'bun:test'
import type { Network } from '../../p2p/network.ts'
import { formatEnode, parseEnode } from '../../p2p/transport/enode.ts'
import { freePorts } from '../../runtime/devnet/ports.ts'
import { type Devp2pTestNode, startDevp2pNode } from './devp2p/nodes.ts'
import { type Node, startTestNode, until } from './networks.ts'

const HAS_IPV6 = Object.values(networkInterfaces())
  .flat()
  .some(each => each?.address === '::1')

const STARTS = {
  libp2p: startTestNode,
  devp2p: startDevp2pNode,
} as const satisfies Record<string, (options: object) => Promise<Node | Devp2pTestNode>>

const overIpv6 = (network: Network, port: number): string =>
  formatEnode({ publicKey: parseEnode(network.enode).publicKey, host: '::1', port })

describe.skipIf(!HAS_IPV6)(
  `given a node that listens on IPv6, too${HAS_IPV6 ? '' : ' (there is none here)'}`,
  () => {
    test.each(['libp2p', 'devp2p'] as const)(
      'when others dial it over %s, then it is reached at both addresses, and each port is its own',
      async transport => {
        const start = STARTS[transport]
        const [port = 0] = await freePorts(1)
        const node = await start({ ipv6: { host: '::1', port } })
        expect(parseEnode(node.network.enode).port).not.toBe(port)
        const others = [
          await start({ staticNodes: [node.network.enode] }),
          await start({ staticNodes: [overIpv6(node.network, port)] }),
        ]
        try {
          await until(() => node.network.peers().length === 2)
          await until(() => others.every(({ network }) => network.peers().length >= 1))
          const taken = await start({ ipv6: { host: '::1', port } }).catch((error: unknown) => String(error))
          expect(taken).toContain(`:${port}`)
        } finally {
          await Promise.all([node, ...others].map(each => each.stop()))
        }
      },
    )
  },
)

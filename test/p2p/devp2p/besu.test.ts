import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'bun:test'
import { decodeRlp, encodeRlp, type RlpItem } from '../../../core/rlp/rlp.ts'
import { iterateRawItems } from '../../../core/rlp/rawItem.ts'
import { ETH } from '../../../p2p/devp2p/ethCodes.ts'
import { openWithId } from '../../../p2p/devp2p/eth/requests.ts'
import { decodeStatus } from '../../../p2p/devp2p/eth/status.ts'
import { until } from '../networks.ts'
import { BLOCKS, statusAt, withDevp2pNodes } from './nodes.ts'
import type { SampleBlock } from './sampleBlocks.ts'
import { answer, connectScripted, type ScriptedPeer, type ScriptOptions } from './scriptedPeer.ts'

const block = (number: number): SampleBlock => BLOCKS[number] as SampleBlock

const itemsIn = (payload: Uint8Array): readonly Uint8Array[] => [
  ...iterateRawItems(openWithId(payload).content, 'an answer'),
]

/** A node at block 600, and a peer that has said hello to it. */
const withPeer = (
  run: (
    peer: ScriptedPeer,
    node: Awaited<ReturnType<Parameters<Parameters<typeof withDevp2pNodes>[0]>[0]>>,
  ) => Promise<void>,
  options: ScriptOptions = {},
): Promise<void> =>
  withDevp2pNodes(async start => {
    const node = await start({ status: statusAt(block(600)) })
    const peer = await connectScripted(node.network.enode, options)
    try {
      await run(peer, node)
    } finally {
      peer.close()
    }
  })

describe('given a peer that does as Besu does', () => {
  test('when it asks for the announced head by its hash, then it has the header at once', async () => {
    await withPeer(async peer => {
      const status = decodeStatus(68, await peer.next(ETH.status))
      expect(status).toMatchObject({ version: 68, head: { totalDifficulty: 601n, hash: block(600).hash } })
      peer.sendStatus()
      peer.sendEth(ETH.getBlockHeaders, [1, [status.head.hash, 1, 0, 0]])
      expect(itemsIn(await peer.next(ETH.blockHeaders))).toEqual([block(600).header])
    })
  })

  test('when it syncs by a skeleton from a hash with a distance of 199, then segments and bodies fit', async () => {
    await withPeer(async peer => {
      peer.sendStatus()
      peer.sendEth(ETH.getBlockHeaders, [1, [block(0).hash, 193, 199, 0]])
      const skeleton = itemsIn(await peer.next(ETH.blockHeaders))
      expect(skeleton).toEqual([0, 200, 400, 600].map(number => block(number).header))
      peer.sendEth(ETH.getBlockHeaders, [2, [block(200).hash, 200, 0, 1]])
      expect(itemsIn(await peer.next(ETH.blockHeaders))).toEqual(
        Array.from({ length: 200 }, (_, index) => block(200 - index).header),
      )
      peer.sendEth(ETH.getBlockBodies, [3, [block(2).hash, randomBytes(32), block(5).hash]])
      const bodies = itemsIn(await peer.next(ETH.blockBodies)).map(body => (decodeRlp(body) as RlpItem[])[0])
      expect(bodies).toEqual(
        [2, 5].map(number => (decodeRlp(block(number).block) as RlpItem[])[1] as RlpItem),
      )
    })
  })

  test('when it asks for what this node has not, then each request is answered, with nothing', async () => {
    await withPeer(async peer => {
      peer.sendStatus()
      for (const [code, answered] of [
        [ETH.getBlockHeaders, ETH.blockHeaders],
        [ETH.getBlockBodies, ETH.blockBodies],
        [ETH.getReceipts, ETH.receipts],
        [ETH.getPooledTransactions, ETH.pooledTransactions],
        [ETH.getNodeData, ETH.nodeData],
      ] as const) {
        const content = code === ETH.getBlockHeaders ? [randomBytes(32), 1, 0, 0] : [randomBytes(32)]
        peer.sendEth(code, [0, content])
        const payload = await peer.next(answered)
        expect(openWithId(payload).id).toBe(0n)
        expect(itemsIn(payload)).toEqual([])
      }
    })
  })

  test('when it pings, then it has a pong; when it stops, then the reason is sent', async () => {
    await withPeer(async (peer, node) => {
      peer.sendStatus()
      await until(() => node.network.peers().length === 1)
      peer.send(0x02, Uint8Array.of(0xc0))
      await until(() => peer.heard.some(({ id }) => id === 0x03))
      peer.send(0x01, encodeRlp([8]))
      await until(() => node.disconnected.length === 1)
      expect(node.disconnected[0]?.reason).toBe('the peer closed it: it stops')
    })
  })

  test('when it sends consensus messages before its status, then they are used once it is a peer', async () => {
    await withPeer(async (peer, node) => {
      peer.send(0x33, Uint8Array.of(0xc1, 1))
      peer.sendStatus()
      await until(() => node.consensus.length === 1)
      expect(node.consensus[0]).toMatchObject({ code: 0x12, data: Uint8Array.of(0xc1, 1) })
    })
  })

  test('when its head is asked for and it answers, then it is a peer with that number', async () => {
    await withPeer(async (peer, node) => {
      peer.sendStatus({ head: { hash: block(650).hash, totalDifficulty: 651n } })
      const { id } = openWithId(await peer.next(ETH.getBlockHeaders))
      expect(node.network.peers()).toEqual([])
      peer.send(0x10 + ETH.blockHeaders, answer(id, [block(650).header]))
      await until(() => node.network.peers()[0]?.status.headNumber === 650n)
    })
  })

  test('when it answers late or twice, then that is ignored', async () => {
    await withPeer(async (peer, node) => {
      peer.sendStatus()
      await until(() => node.network.peers().length === 1)
      peer.send(0x10 + ETH.blockBodies, answer(99n, []))
      peer.send(0x02, Uint8Array.of(0xc0))
      await until(() => peer.heard.some(({ id }) => id === 0x03))
      expect(node.network.peers()).toHaveLength(1)
    })
  })
})

describe('given a peer that breaks a rule', () => {
  const isEnded = (peer: ScriptedPeer): Promise<true> => until(() => peer.isClosed())

  test.each([
    [
      'an eth message before its status',
      (peer: ScriptedPeer) => peer.sendEth(ETH.getBlockHeaders, [1, [0, 1, 0, 0]]),
    ],
    ['a status that cannot be read', (peer: ScriptedPeer) => peer.send(0x10, Uint8Array.of(0xc1, 1))],
    ['an id of no protocol', (peer: ScriptedPeer) => peer.send(0x60, Uint8Array.of(0xc0))],
    ['a second hello', (peer: ScriptedPeer) => peer.send(0x00, Uint8Array.of(0xc0))],
    [
      'a status that inflates to more than allowed',
      (peer: ScriptedPeer) => peer.send(0x10, new Uint8Array(5000)),
    ],
  ])('when it sends %s, then it is disconnected for a breach of protocol', async (_, script) => {
    await withPeer(async peer => {
      script(peer)
      await isEnded(peer)
      expect(peer.reason()).toBe(0x02)
    })
  })

  test.each([
    ['another network id', { networkId: 5n }],
    ['another genesis block', { genesisHash: new Uint8Array(32) }],
    ['another version than the agreed one', { version: 66 }],
  ])(
    'when its status has %s, then it is disconnected with the code of the sub-protocol',
    async (_, changes) => {
      await withPeer(async peer => {
        peer.sendStatus(changes)
        await isEnded(peer)
        expect(peer.reason()).toBe(0x10)
      })
    },
  )

  test('when it does not give the header of its head, then it is disconnected as useless', async () => {
    await withPeer(async peer => {
      peer.sendStatus({ head: { hash: block(650).hash, totalDifficulty: 651n } })
      for (let tries = 0; tries < 3; tries++) {
        const { id } = openWithId(await peer.next(ETH.getBlockHeaders))
        peer.send(0x10 + ETH.blockHeaders, answer(id, []))
      }
      await isEnded(peer)
      expect(peer.reason()).toBe(0x03)
    })
  })

  test('when no version of eth is shared, then it is disconnected as useless', async () => {
    await withPeer(
      async peer => {
        await isEnded(peer)
        expect(peer.reason()).toBe(0x03)
      },
      { capabilities: [['eth', 71]] },
    )
  })

  test('when its hello has another key, then it is disconnected for an unexpected identity', async () => {
    await withPeer(
      async peer => {
        await isEnded(peer)
        expect(peer.reason()).toBe(0x09)
      },
      { publicKey: new Uint8Array(64).fill(1) },
    )
  })

  test('when its bytes are not a frame, then the connection ends without an answer', async () => {
    await withPeer(async peer => {
      peer.sendRaw(randomBytes(64))
      await isEnded(peer)
      expect(peer.reason()).toBeUndefined()
    })
  })
})

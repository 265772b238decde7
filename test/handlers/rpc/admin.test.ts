import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { toHex } from '../../../core/bytes/hex.ts'
import type { RpcNetwork, RpcPeer } from '../../../handlers/rpc/context.ts'
import { DEVELOPMENT_CONFIG, startTestNode, type TestNode } from '../support/testNode.ts'
import { turns } from '../../support/turns.ts'

const ID = 'ab'.repeat(64)
const OWN = `enode://${'cd'.repeat(64)}@10.0.0.1:30303`
const OTHER = `enode://${ID}@10.0.0.2:30304`
const DISABLED = { code: -32000, message: 'P2P has been disabled. This functionality is not available' }

const PEER: RpcPeer = {
  publicKey: new Uint8Array(64).fill(0xab),
  enode: OTHER,
  remoteAddress: '10.0.0.2:51000',
  inbound: true,
  status: { client: 'quorate/v1', headNumber: 41n, headHash: new Uint8Array(32).fill(7) },
}

const refusal = (code: string): Error => Object.assign(new Error(code), { code })

/** What of a network JSON-RPC sees; `added` are the nodes it was told of. */
const networkWith = (
  change: Partial<RpcNetwork> = {},
): { readonly network: RpcNetwork; readonly added: Set<string> } => {
  const added = new Set<string>()
  const network: RpcNetwork = {
    listening: true,
    enode: OWN,
    whenListening: async () => OWN,
    capabilities: ['quorate/1'],
    peerCount: () => 1,
    peers: () => [PEER],
    addPeer: async enode => {
      if (!enode.startsWith('enode://')) throw refusal('SYNTAX')
      if (enode.includes('0x')) throw refusal('INVALID_NODE_ID')
      if (enode === OWN) throw refusal('LOCAL_NODE')
      if (enode.endsWith('broken')) throw refusal('ELSE')
      if (added.has(enode)) return false
      added.add(enode)
      return true
    },
    removePeer: async enode => added.delete(enode),
    ...change,
  }
  return { network, added }
}

const APIS = ['ETH', 'NET', 'ADMIN']

describe('given a node with p2p', () => {
  let node: TestNode
  const { network, added } = networkWith()

  beforeAll(async () => {
    node = await startTestNode({ rpc: { apis: APIS }, host: { network } })
    await node.mine()
  })
  afterAll(() => node.close())

  test('when net methods are called, then they count the peers and give the enode', async () => {
    expect(await node.call('net_listening')).toBe(true)
    expect(await node.call('net_peerCount')).toBe('0x1')
    expect(await node.call('net_enode')).toBe(OWN)
  })

  test('when admin_peers is called, then it lists each peer', async () => {
    expect(await node.call('admin_peers')).toEqual([
      {
        version: '0x5',
        name: 'quorate/v1',
        caps: ['quorate/1'],
        network: { localAddress: '10.0.0.1:30303', remoteAddress: '10.0.0.2:51000', inbound: true },
        port: '0x7660',
        id: `0x${ID}`,
        protocols: { eth: { difficulty: '0x2a', head: `0x${'07'.repeat(32)}`, version: 1 } },
        enode: OTHER,
      },
    ])
  })

  test('when admin_nodeInfo is called, then it describes the node', async () => {
    const { header, hash } = node.chain.head()
    expect(await node.call('admin_nodeInfo')).toEqual({
      enode: OWN,
      listenAddr: '10.0.0.1:30303',
      ip: '10.0.0.1',
      name: 'quorate/v0.1.0/test',
      id: 'cd'.repeat(64),
      ports: { listener: 30303 },
      protocols: {
        eth: {
          config: DEVELOPMENT_CONFIG,
          difficulty: Number(header.number) + 1,
          genesis: toHex(node.chain.genesis.hash),
          head: toHex(hash),
          network: 1337,
        },
      },
      activeFork: 'Osaka',
    })
  })

  test('when peers are added and removed, then the answer says whether that changed anything', async () => {
    expect(await node.call('admin_addPeer', OTHER)).toBe(true)
    expect(await node.call('admin_addPeer', OTHER)).toBe(false)
    expect([...added]).toEqual([OTHER])
    expect(await node.call('admin_removePeer', OTHER)).toBe(true)
    expect(await node.call('admin_removePeer', OTHER)).toBe(false)
  })

  test.each([
    [[], -32602, 'Invalid number of params'],
    [[OTHER, OTHER], -32602, 'Invalid number of params'],
    [[5], -32602, 'Invalid enode params'],
    [['10.0.0.1:30303'], -32700, 'Parse error'],
    [
      [`enode://0x${ID}@10.0.0.1:1`],
      -32000,
      "Invalid node ID: node ID must have exactly 128 hexadecimal characters and should not include any '0x' hex prefix.",
    ],
    [[OWN], -32100, 'Cannot add local node as peer.'],
  ] as const)('when the enode is %j, then it is refused', async (params, code, message) => {
    expect((await node.rpc('admin_addPeer', ...params)).error).toMatchObject({ code, message })
  })

  test('when the node itself fails, then the answer is not a parse error', async () => {
    const asked = node.rpc('admin_addPeer', `${OTHER}broken`)
    // The test node's report of faults throws, so that no test passes over one.
    const outcome = await asked.then(
      reply => reply.error?.code,
      (error: unknown) => (error as Error).message,
    )
    expect(String(outcome)).not.toContain('-32700')
  })
})

describe('given a node that does not listen yet', () => {
  const starting = { enode: undefined, listening: false, peers: () => [], peerCount: () => 0 }

  test('when it begins to listen, then the request is answered', async () => {
    const listening = Promise.withResolvers<string>()
    const { network, added } = networkWith({ ...starting, whenListening: () => listening.promise })
    const node = await startTestNode({ rpc: { apis: APIS }, host: { network } })
    expect(await node.call('net_listening')).toBe(false)
    expect(await node.call('admin_peers')).toEqual([])
    const asked = Promise.all([
      node.call('net_enode'),
      node.call('admin_addPeer', OTHER),
      node.call('admin_nodeInfo'),
    ])
    await turns(5)
    expect(added.size).toBe(0)
    listening.resolve(OWN)
    expect(await asked).toMatchObject([OWN, true, { enode: OWN }])
    expect([...added]).toEqual([OTHER])
    await node.close()
  })

  test('when it stops instead, then the answer says so', async () => {
    const { network } = networkWith({
      ...starting,
      whenListening: () => Promise.reject(new Error('this node stops')),
    })
    const node = await startTestNode({ rpc: { apis: APIS }, host: { network } })
    const notRunning = { code: -32000, message: 'P2P network is not running' }
    expect((await node.rpc('net_enode')).error).toEqual(notRunning)
    expect((await node.rpc('admin_nodeInfo')).error).toEqual(notRunning)
    expect((await node.rpc('admin_addPeer', OTHER)).error).toEqual(notRunning)
    expect((await node.rpc('admin_removePeer', OTHER)).error).toEqual(notRunning)
    await node.close()
  })
})

describe('given a node without p2p', () => {
  test('when net methods are called, then there are no peers and it does not listen', async () => {
    const node = await startTestNode({ rpc: { apis: APIS } })
    expect(await node.call('net_peerCount')).toBe('0x0')
    expect(await node.call('net_listening')).toBe(false)
    await node.close()
  })

  test('when admin methods are called, then they are refused', async () => {
    const node = await startTestNode({ rpc: { apis: APIS } })
    for (const [method, params] of [
      ['net_enode', []],
      ['admin_peers', []],
      ['admin_nodeInfo', []],
      ['admin_addPeer', [OTHER]],
      ['admin_removePeer', [OTHER]],
    ] as const)
      expect((await node.rpc(method, ...params)).error).toEqual(DISABLED)
    await node.close()
  })
})

describe('given eth_syncing', () => {
  test('when the node syncs, then it answers with the progress', async () => {
    const syncing = () => ({ startingBlock: 16n, currentBlock: 32n, highestBlock: 255n })
    const node = await startTestNode({ host: { syncing } })
    expect(await node.call('eth_syncing')).toEqual({
      startingBlock: '0x10',
      currentBlock: '0x20',
      highestBlock: '0xff',
    })
    await node.close()
  })
})

import { expect } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { toHex } from '../../../core/bytes/hex.ts'
import { genesisText, testKey } from '../../runtime/genesis.ts'
import { type NodeProcess, startNode } from '../../runtime/nodeProcess.ts'
import { until } from '../support/waiting.ts'
import { scenario } from '../../support/scenario.ts'

type NodeInfo = { readonly enode: string; readonly id: string; readonly ports: { readonly listener: number } }
type PeerInfo = {
  readonly id: string
  readonly enode: string
  readonly network: { readonly remoteAddress: string; readonly inbound: boolean }
  readonly protocols: { readonly eth: { readonly head: string } }
}

scenario('given two nodes that know of nobody', ({ beforeAll, afterAll, test }) => {
  const folder = mkdtempSync(join(tmpdir(), 'quorate-cluster-'))
  const running: NodeProcess[] = []
  let one: NodeProcess
  let other: NodeProcess

  const start = async (key: number): Promise<NodeProcess> => {
    const keyFile = join(folder, `${key}.key`)
    writeFileSync(keyFile, toHex(testKey(key)), { mode: 0o600 })
    const node = await startNode(join(folder, `node${key}`), [
      `--genesis-file=${join(folder, 'genesis.json')}`,
      `--node-private-key-file=${keyFile}`,
      '--p2p-interface=127.0.0.1',
      '--discovery-enabled=false',
      '--rpc-http-enabled',
      '--rpc-http-api=ETH,NET,ADMIN,QBFT',
    ])
    running.push(node)
    return node
  }

  const infoOf = (node: NodeProcess): Promise<NodeInfo> => node.rpc('admin_nodeInfo')
  const peersOf = (node: NodeProcess): Promise<readonly PeerInfo[]> => node.rpc('admin_peers')
  const readinessOf = async (node: NodeProcess): Promise<readonly [number, unknown]> => {
    const response = await fetch(`${node.url}/readiness`)
    return [response.status, await response.json()]
  }

  beforeAll(async () => {
    writeFileSync(join(folder, 'genesis.json'), genesisText({ validators: [1, 2] }))
    ;[one, other] = await Promise.all([start(1), start(2)])
  })

  afterAll(async () => {
    await Promise.all(running.map(node => node.kill()))
    rmSync(folder, { recursive: true, force: true })
  })

  test('when nobody is added, then they are not ready, and say why', async () => {
    expect(await peersOf(one)).toEqual([])
    expect(await readinessOf(one)).toMatchObject([
      503,
      { status: 'DOWN', reasons: ['0 peers are connected, minPeers is 1'] },
    ])
  })

  test('when one is told of the other, then they connect, know each other, and make blocks', async () => {
    const { enode, id, ports } = await infoOf(other)
    expect(enode).toBe(`enode://${id}@127.0.0.1:${ports.listener}`)
    expect(await other.rpc<string>('net_enode')).toBe(enode)
    expect(await one.rpc<boolean>('admin_addPeer', enode)).toBe(true)
    expect(await one.rpc<boolean>('admin_addPeer', enode)).toBe(false)
    await until('a block of both', async () => Number(await other.rpc('eth_blockNumber')) >= 1)
    expect(await peersOf(one)).toMatchObject([{ id: `0x${id}`, enode, network: { inbound: false } }])
    const own = await infoOf(one)
    expect(await peersOf(other)).toMatchObject([{ id: `0x${own.id}`, network: { inbound: true } }])
    for (const node of [one, other]) {
      expect(await node.rpc<string>('net_peerCount')).toBe('0x1')
      expect(await readinessOf(node)).toMatchObject([200, { status: 'UP' }])
      await until('a level chain', async () => (await node.rpc('eth_syncing')) === false)
    }
  })

  test('when it is removed again, then they disconnect', async () => {
    const { enode } = await infoOf(other)
    expect(await one.rpc<boolean>('admin_removePeer', enode)).toBe(true)
    for (const node of [one, other])
      await until('nobody', async () => (await node.rpc<string>('net_peerCount')) === '0x0')
    expect(await one.rpc<boolean>('admin_removePeer', enode)).toBe(false)
  })
})

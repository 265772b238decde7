import { expect } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { genesisText } from '../../runtime/genesis.ts'
import { type NodeProcess, runCommand } from '../../runtime/nodeProcess.ts'
import { enodeOf, type Genesis, startOwnNode } from '../support/ownNode.ts'
import { until } from '../support/waiting.ts'
import { scenario } from '../../support/scenario.ts'

scenario('given a node that runs alone', ({ beforeAll, afterAll, test }) => {
  const folder = mkdtempSync(join(tmpdir(), 'quorate-cluster-'))
  const running: NodeProcess[] = []
  let first: NodeProcess
  let enode: string

  /** A node with a genesis file and a key of its own. */
  const start = async (
    name: string,
    key: number,
    genesis: Genesis,
    ...args: readonly string[]
  ): Promise<NodeProcess> => {
    const node = await startOwnNode(folder, name, key, genesis, args)
    running.push(node)
    return node
  }

  beforeAll(async () => {
    first = await start('first', 1, { validators: [1, 2] })
    enode = enodeOf(first)
  })

  afterAll(async () => {
    await Promise.all(running.map(node => node.kill()))
    rmSync(folder, { recursive: true, force: true })
  })

  const peersOf = async (node: NodeProcess): Promise<number> => Number(await node.rpc('net_peerCount'))

  test('when another names it in a file of static nodes, by a host name, then they connect and make blocks', async () => {
    const file = join(folder, 'static.json')
    writeFileSync(file, JSON.stringify([enode.replace('127.0.0.1', 'localhost')]))
    const second = await start(
      'second',
      2,
      { validators: [1, 2] },
      `--static-nodes-file=${file}`,
      '--discovery-enabled=false',
    )
    await until('a block of both', async () => Number(await second.rpc('eth_blockNumber')) >= 1)
    expect(await peersOf(first)).toBe(1)
    expect(await second.stop()).toBe(0)
  })

  test('when another has a transition that this one has not, then both say which entry differs, and /readiness too', async () => {
    const transitions = { qbft: [{ block: 1_000_000, blockperiodseconds: 7 }] }
    const third = await start(
      'third',
      3,
      { validators: [1, 2], config: { transitions } },
      `--bootnodes=${enode}`,
    )
    for (const node of [first, third])
      await until('the name of the entry', async () => /transitions\.qbft/.test(node.output()))
    const readiness = await until('a reason', async () => {
      const text = await (await fetch(`${third.url}/readiness?minPeers=0`)).text()
      return /transitions\.qbft/.test(text) ? text : undefined
    })
    expect(readiness).toContain('transitions.qbft')
  })

  test('when another has another genesis block, then it is refused, with the reason', async () => {
    const fourth = await start(
      'fourth',
      4,
      { validators: [4], top: { timestamp: '0x1' } },
      `--bootnodes=${enode}`,
    )
    await until('a refusal', async () => /genesis/i.test(fourth.output().split('Listening').at(-1) ?? ''))
    expect(await peersOf(fourth)).toBe(0)
  })

  test('when --p2p-enabled is false, then it connects to nobody', async () => {
    const fifth = await start(
      'fifth',
      5,
      { validators: [1, 2] },
      `--bootnodes=${enode}`,
      '--p2p-enabled=false',
    )
    expect(fifth.output()).not.toContain('Enode URL')
  })
})

scenario('given options that cannot be followed', ({ test }) => {
  const run = async (args: (folder: string) => readonly string[]): Promise<string> => {
    const folder = mkdtempSync(join(tmpdir(), 'quorate-cluster-'))
    try {
      writeFileSync(join(folder, 'genesis.json'), genesisText())
      writeFileSync(join(folder, 'broken.json'), '["enode://zz@1.2.3.4:1"]')
      const common = [`--genesis-file=${join(folder, 'genesis.json')}`, `--data-path=${join(folder, 'data')}`]
      const { code, error } = await runCommand([...common, ...args(folder)])
      expect(code).toBe(1)
      return error
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }

  test('when the file of static nodes is not there, then the start says so', async () => {
    expect(await run(folder => [`--static-nodes-file=${join(folder, 'none.json')}`])).toContain(
      'cannot be read: there is no such file. It must hold a JSON array of enode URLs.',
    )
  })

  test('when it holds something else than enode URLs, then the start says which', async () => {
    expect(await run(folder => [`--static-nodes-file=${join(folder, 'broken.json')}`])).toContain(
      "Invalid enode URL syntax 'enode://zz@1.2.3.4:1'",
    )
  })

  test('when the port is taken, then the start says so', async () => {
    const server = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: () => undefined } })
    try {
      const text = await run(() => ['--p2p-interface=127.0.0.1', `--p2p-port=${server.port}`])
      expect(text).toContain(String(server.port))
      expect(text).not.toContain('Unexpected')
    } finally {
      server.stop(true)
    }
  })
})

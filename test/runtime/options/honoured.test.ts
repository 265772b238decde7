import { expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { toHex } from '../../../core/bytes/hex.ts'
import { publicKeyOf } from '../../../core/crypto/crypto.ts'
import { freePorts } from '../../../runtime/devnet/ports.ts'
import { createCluster } from '../../cluster/support/cluster.ts'
import { rejection } from '../../support/rejection.ts'
import { independent } from '../../support/scenario.ts'
import { until } from '../../support/until.ts'
import { withFolder } from '../folder.ts'
import { testKey, writeNetwork } from '../genesis.ts'
import { type NodeProcess, PROCESS_TEST_TIMEOUT_MS, startNode } from '../nodeProcess.ts'
import { clientsOf } from '../transactions.ts'
import { connectWs } from '../wsClient.ts'

setDefaultTimeout(PROCESS_TEST_TIMEOUT_MS)

const HAS_IPV6 = Object.values(networkInterfaces())
  .flat()
  .some(each => each?.address === '::1')

const TO = `0x${'8'.repeat(40)}` as const
const GWEI = 10n ** 9n

/** Tells the process that answers from others. */
const startTime = (metrics: string): string | undefined =>
  /^process_start_time_seconds .*$/m.exec(metrics)?.[0]

const failure = async (promise: Promise<unknown>): Promise<string> => String(await rejection(promise))

/** Sends a transfer of one of the development accounts, by index. */
const send = (node: NodeProcess, index: number, nonce: number, gasPrice: bigint, chainId = 4242) =>
  clientsOf(node.url, chainId, index).wallet.sendTransaction({
    to: TO,
    value: 1n,
    nonce,
    gas: 21_000n,
    gasPrice,
  })

const poolSize = async (node: NodeProcess): Promise<number> => {
  const { pending, queued } = await node.rpc<{ pending: string; queued: string }>('txpool_status')
  return Number(pending) + Number(queued)
}

independent(
  'given limits of filters, traces, GraphQL and subscriptions, when they are exceeded, then each is told',
  () =>
    withFolder(async folder => {
      const node = await startNode(join(folder, 'data'), [
        '--rpc-http-api=ETH,DEBUG',
        '--rpc-max-active-filters=2',
        '--rpc-filter-timeout-seconds=1',
        '--rpc-max-trace-steps=3',
        '--rpc-ws-enabled',
        '--rpc-ws-port=0',
        '--rpc-ws-max-active-subscriptions=1',
        '--graphql-http-enabled',
        '--graphql-http-port=0',
        '--graphql-max-blocks-range=2',
        '--metrics-enabled',
        '--metrics-host=127.0.0.3',
        '--metrics-port=0',
        '--metrics-categories=PROCESS',
      ])
      try {
        const filter = await node.rpc<string>('eth_newBlockFilter')
        const isGone = async (id: string): Promise<boolean> =>
          (await failure(node.rpc('eth_getFilterChanges', id))).includes('Filter not found')
        await node.rpc('eth_newBlockFilter')
        // A further one is refused; after its time each is gone.
        expect(await failure(node.rpc('eth_newBlockFilter'))).toContain('--rpc-max-active-filters')
        // Each question counts as a use.
        await until(() => isGone(filter), { pollMs: 1_500 })

        const program = { data: '0x600160026003600460055b' }
        const { structLogs } = await node.rpc<{ structLogs: unknown[] }>('debug_traceCall', program, 'latest')
        expect(structLogs).toHaveLength(3)

        const ws = await connectWs(String(node.wsUrl))
        await ws.call('eth_subscribe', 'newHeads')
        expect(await failure(ws.call('eth_subscribe', 'newHeads'))).toContain('subscriptions')
        ws.close()

        const query = '{ blocks(from: 0, to: 5) { number } }'
        const answer = await fetch(`${node.graphqlUrl}/graphql`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ query }),
        })
        expect(await answer.text()).toContain('Requested range exceeds maximum RPC range limit')

        const { port } = new URL(String(node.metricsUrl))
        const metrics = await (
          await fetch(`http://127.0.0.3:${port}/metrics`, { headers: { host: 'localhost' } })
        ).text()
        expect(metrics).toContain('process_cpu_seconds_total')
        expect(metrics).not.toContain('ethereum_')
        // Another process may listen on the same port of the address that this node does not use.
        const elsewhere = await fetch(`http://127.0.0.1:${port}/metrics`).catch(() => undefined)
        expect(startTime(metrics)).toBeDefined()
        expect(startTime((await elsewhere?.text()) ?? '')).not.toBe(startTime(metrics))
      } finally {
        await node.kill()
      }
    }),
)

independent('given options of the pool, when transactions are sent, then each counts', () =>
  withFolder(async folder => {
    const data = join(folder, 'data')
    const network = writeNetwork(folder, { config: { zeroBaseFee: true }, qbft: { blockperiodseconds: 2 } })
    const common = [...network, '--rpc-http-enabled', '--rpc-http-api=ETH,TXPOOL', '--p2p-enabled=false']
    const { account } = clientsOf('http://127.0.0.1:1', 4242, 1)
    const first = await startNode(data, [
      ...common,
      '--min-gas-price=1',
      `--tx-pool-priority-senders=${account.address}`,
      '--tx-pool-max-size=100',
      '--tx-pool-limit-by-account-percentage=0.03',
      '--tx-pool-save-file=kept.pool',
    ])
    // Behind a nonce gap, so that they stay.
    for (const nonce of [5, 6, 7]) await send(first, 2, nonce, GWEI)
    expect(await failure(send(first, 2, 8, GWEI))).toContain('3')
    const poor = clientsOf(first.url, 4242).wallet
    const huge = { to: TO, value: 10n ** 30n, nonce: 3, gas: 21_000n, gasPrice: GWEI }
    expect(await failure(poor.sendTransaction(huge))).toContain('cost')
    // Of one block the one of the priority sender comes first, although it pays less.
    const { reader } = clientsOf(first.url, 4242)
    await reader.waitForTransactionReceipt({ hash: await send(first, 3, 0, GWEI) })
    const [plain, preferred] = await Promise.all([send(first, 3, 1, 9n * GWEI), send(first, 1, 0, GWEI)])
    const receipts = await Promise.all(
      [plain, preferred].map(hash => reader.waitForTransactionReceipt({ hash })),
    )
    expect(receipts.map(({ transactionIndex }) => transactionIndex)).toEqual([1, 0])
    expect(await first.stop()).toBe(0)
    expect(existsSync(join(data, 'kept.pool'))).toBe(true)

    const again = await startNode(data, [
      ...common,
      '--min-gas-price=1',
      '--tx-pool-save-file=kept.pool',
      '--tx-pool-enable-balance-check=false',
    ])
    expect(await poolSize(again)).toBe(3)
    expect(await clientsOf(again.url, 4242).wallet.sendTransaction(huge)).toMatch(/^0x/)
    await again.stop()
    const without = await startNode(data, [
      ...common,
      '--min-gas-price=1',
      '--tx-pool-save-file=kept.pool',
      '--tx-pool-enable-save-restore=false',
    ])
    expect(await poolSize(without)).toBe(0)
    await without.kill()
  }),
)

independent('given options of connections, when others connect, then each counts', () =>
  withFolder(async folder => {
    const idOf = (index: number): string => toHex(publicKeyOf(testKey(index)))
    const args: Readonly<Record<number, readonly string[]>> = {
      1: [
        `--p2p-tx-feecap=${5n * GWEI}`,
        '--max-peers=2',
        '--remote-connections-limit-enabled=true',
        '--remote-connections-max-percentage=50',
        `--banned-node-ids=${idOf(3)}`,
      ],
      5: ['--net-restrict=10.0.0.0/8'],
    }
    const cluster = await createCluster({
      folder,
      validators: 1,
      nodes: 5,
      args: ['--logging-format=PLAIN', '--min-gas-price=0'],
      config: { zeroBaseFee: true },
      argsOf: index => args[index] ?? [],
    })
    try {
      await cluster.start(1, 2)
      await until(async () => Number(await cluster.node(2).rpc('net_peerCount')) === 1)
      await cluster.start(3, 4, 5)
      const says = (index: number, text: string) => () => cluster.node(index).output().includes(text)
      await until(says(1, 'its id is in --banned-node-ids'))
      await until(says(4, 'too many peers'))
      await until(says(5, '127.0.0.1 is outside of the networks of --net-restrict'))
      expect(Number(await cluster.node(1).rpc('net_peerCount'))).toBe(1)
      // Sent to a peer of the validator, whose blocks take one of them.
      const tooDear = await send(cluster.node(2), 2, 0, 6n * GWEI)
      const hash = await send(cluster.node(2), 3, 0, 4n * GWEI)
      const { reader } = clientsOf(cluster.node(2).url, 4242)
      await reader.waitForTransactionReceipt({ hash })
      expect(await cluster.node(1).rpc('eth_getTransactionByHash', tooDear)).toBeNull()
    } finally {
      await cluster.end()
    }
  }),
)

independent.skipIf(!HAS_IPV6)(
  'given an IPv6 address of a node, when another dials it there, then they are connected',
  () =>
    withFolder(async folder => {
      const network = writeNetwork(folder)
      const [port = 0] = await freePorts(1)
      const options = ['--rpc-http-enabled', '--rpc-http-api=NET', '--logging-format=PLAIN']
      const one = await startNode(join(folder, 'one'), [
        ...network,
        ...options,
        '--p2p-interface=127.0.0.1',
        '--p2p-host-ipv6=::1',
        '--p2p-interface-ipv6=::1',
        `--p2p-port-ipv6=${port}`,
      ])
      const enode = `enode://${toHex(publicKeyOf(testKey(1))).slice(2)}@[::1]:${port}`
      const [genesisFile = ''] = network
      const other = await startNode(join(folder, 'other'), [
        genesisFile,
        ...options,
        '--p2p-interface=127.0.0.1',
        `--bootnodes=${enode}`,
      ])
      try {
        expect(one.output()).toContain(`Enode URL over IPv6 ${enode}`)
        await until(async () => Number(await one.rpc('net_peerCount')) === 1)
      } finally {
        await Promise.all([one.kill(), other.kill()])
      }
    }),
)

/** Where the effect of each further option of Besu that this node has is shown: that test gives the option. */
const SHOWN_ELSEWHERE: Readonly<Record<string, readonly string[]>> = {
  'runtime/permissions/permissions.test.ts': [
    'permissions-accounts-config-file-enabled',
    'permissions-nodes-config-file',
    'permissions-nodes-config-file-enabled',
  ],
  'runtime/metrics/process.test.ts': [
    'metrics-category',
    'metrics-protocol',
    'metrics-push-enabled',
    'metrics-push-interval',
    'metrics-push-port',
    'metrics-push-prometheus-job',
  ],
  'runtime/node/nodeFiles.test.ts': ['pid-path', 'required-block', 'required-blocks'],
}

test('given options whose effect another test shows, then that test gives them', () => {
  for (const [file, names] of Object.entries(SHOWN_ELSEWHERE)) {
    const text = readFileSync(join(import.meta.dir, '../..', file), 'utf8')
    expect(names.filter(name => !text.includes(`--${name}`))).toEqual([])
  }
})

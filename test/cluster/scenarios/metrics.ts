import { expect } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { alertsYaml } from '../../../runtime/metrics/alerts.ts'
import { PANEL_ROWS } from '../../../runtime/metrics/panels.ts'
import { METRICS } from '../../../runtime/metrics/table.ts'
import { rejection } from '../../support/rejection.ts'
import { scenario } from '../../support/scenario.ts'
import { clientsOf, minedReceipt } from '../../runtime/transactions.ts'
import { connectWs } from '../../runtime/wsClient.ts'
import { dialRaw } from '../../p2p/rawPeer.ts'
import { genesisHashOf } from '../support/attacker.ts'
import { enodeOf } from '../support/ownNode.ts'
import { type Cluster, createCluster } from '../support/cluster.ts'
import { missingPrometheus, type Prometheus, promtool, startPrometheus } from '../support/prometheus.ts'
import { until, untilHeads } from '../support/waiting.ts'

/** Short enough for a test; a validator of a busy machine is heard within it. */
const SILENT_SECONDS = 8

/** Values that stay what they are on a network like this one, with what they are. */
const CONSTANT: Readonly<Record<string, number>> = {
  ethereum_peer_limit: 25,
  besu_blockchain_chain_head_gas_limit: 30_000_000,
  besu_blockchain_chain_head_ommer_count: 0,
  besu_synchronizer_in_sync: 1,
  qbft_is_validator: 1,
  qbft_validators: 4,
}

const THIS_FILE = 'cluster/scenarios/metrics.ts'
const PERMISSIONS = 'runtime/permissions/permissions.test.ts'

/** Moved by tests of their own, which name them: two nodes with one key, for one, are no network to leave running. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  besu_permissioning_account_local_check_count_total: PERMISSIONS,
  besu_permissioning_account_local_check_count_permitted_total: PERMISSIONS,
  besu_permissioning_account_local_check_count_unpermitted_total: PERMISSIONS,
  besu_permissioning_node_local_check_count_total: PERMISSIONS,
  besu_permissioning_node_local_check_count_permitted_total: PERMISSIONS,
  besu_permissioning_node_local_check_count_unpermitted_total: PERMISSIONS,
  qbft_evidence_total: 'runtime/metrics/qbftMetrics.test.ts',
  qbft_proposal_gas_limit: 'runtime/metrics/qbftMetrics.test.ts',
  quorate_history_start_block: 'runtime/node/pruneHistory.test.ts',
  qbft_stalled: THIS_FILE,
  process_start_time_seconds: THIS_FILE,
  qbft_clock_offset_seconds: THIS_FILE,
}

type Samples = ReadonlyMap<string, number>

const samplesOf = (text: string): Samples =>
  new Map(
    text
      .split('\n')
      .filter(line => line !== '' && !line.startsWith('#'))
      .map(line => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
  )

const ofMetric = (samples: Samples, name: string): readonly (readonly [string, number])[] =>
  [...samples].filter(
    ([sample]) =>
      sample.replace(/(?:_bucket|_count|_sum)?(?:\{.*)?$/, '') === name ||
      sample.replace(/\{.*$/, '') === name,
  )

scenario('given a network of four validators with metrics', ({ beforeAll, afterAll, test }) => {
  let folder = ''
  let cluster: Cluster
  let prometheus: Prometheus | undefined
  let before: Samples = new Map()
  let begunAtMs = 0

  const scrape = async (index: number, accept = 'text/plain'): Promise<string> => {
    const response = await fetch(`${cluster.node(index).metricsUrl}/metrics`, { headers: { accept } })
    return await response.text()
  }

  beforeAll(async () => {
    begunAtMs = Date.now()
    folder = mkdtempSync(join(tmpdir(), 'quorate-metrics-'))
    cluster = await createCluster({
      folder,
      validators: 4,
      nodes: 4,
      qbft: { xblockperiodmilliseconds: 500 },
      args: [
        '--logging-format=PLAIN',
        '--min-gas-price=0',
        '--metrics-enabled',
        '--metrics-port=0',
        '--rpc-ws-enabled',
        '--rpc-ws-port=0',
      ],
    })
    await cluster.start(1, 2, 3, 4)
    await untilHeads(cluster, 2)
    before = samplesOf(await scrape(1))
    if (missingPrometheus !== undefined) return
    const targets = [1, 2, 3, 4].map(index => String(cluster.node(index).metricsUrl).replace('http://', ''))
    prometheus = await startPrometheus(
      join(folder, 'prometheus'),
      targets,
      alertsYaml({ job: 'quorate', silentSeconds: SILENT_SECONDS }),
    )
  })
  afterAll(async () => {
    await prometheus?.end()
    await cluster.end()
    rmSync(folder, { recursive: true, force: true })
  })

  test('when they are read by promtool, then it complains of Besu’s names alone', async () => {
    if (missingPrometheus !== undefined) return console.log(`skipped: ${missingPrometheus}`)
    const { text } = promtool(['check', 'metrics'], await scrape(1))
    const lines = text.split('\n').filter(line => line !== '')
    expect(lines.filter(line => !/^(?:besu|ethereum)_/.test(line))).toEqual([])
  })

  test('when the rules are read by promtool, then it accepts them', async () => {
    if (missingPrometheus !== undefined) return console.log(`skipped: ${missingPrometheus}`)
    const { code, text } = promtool(['check', 'rules', join(folder, 'prometheus', 'alerts.yml')])
    expect(text).toContain('SUCCESS')
    expect(code).toBe(0)
  })

  test('when the node works and a validator is stopped, then every metric has moved', async () => {
    const { url, wsUrl } = cluster.node(1)
    const { wallet, reader } = clientsOf(url, 4242)
    const ws = await connectWs(String(wsUrl))
    const subscription = await ws.call<string>('eth_subscribe', 'newHeads')
    await ws.call('eth_subscribe', 'logs')
    await ws.call('eth_unsubscribe', subscription)
    expect(String(await rejection(cluster.node(1).rpc('eth_getBalance', 'none')))).toContain('-32602')
    await cluster.node(1).rpc('qbft_proposeValidatorVote', `0x${'9'.repeat(40)}`, true)
    const to = `0x${'8'.repeat(40)}` as const
    await minedReceipt(reader, await wallet.sendTransaction({ to, value: 1n }))
    // Behind a nonce gap, so that something waits in the pool.
    await wallet.sendTransaction({ to, value: 1n, nonce: 7 })
    await cluster.kill(4)
    // A request whose body does not come.
    const slow = connect({ host: '127.0.0.1', port: Number(new URL(url).port) })
    slow.write('POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n{')
    const seen: Map<string, number> = new Map()
    const unmoved = (): readonly string[] =>
      Object.keys(METRICS).filter(name => {
        if (ELSEWHERE[name] !== undefined) return false
        const samples = ofMetric(seen, name)
        const wanted = CONSTANT[name]
        if (wanted !== undefined) return !samples.some(([, value]) => value === wanted)
        // Peers were connected before the first reading.
        const isCounter = METRICS[name]?.kind === 'counter'
        return !samples.some(([sample, value]) =>
          isCounter ? value > 0 : value !== (before.get(sample) ?? 0),
        )
      })
    // It does not tell its status, and so does not become a peer.
    const stranger = await dialRaw(enodeOf(cluster.node(1)), undefined, await genesisHashOf(cluster, 1))
    const { wallet: other } = clientsOf(url, 4242, 1)
    let nonce = 0
    let left: readonly string[] = []
    await until('every metric to move', async () => {
      for (const [sample, value] of samplesOf(await scrape(1))) {
        // A gauge that has moved and come back has moved.
        if (seen.get(sample) === undefined || value !== (before.get(sample) ?? 0)) seen.set(sample, value)
      }
      // The head has the block of one for half a second.
      await other.sendTransaction({ to, value: 1n, nonce: nonce++, gas: 21_000n, gasPrice: 10n ** 10n })
      left = unmoved()
      return left.length === 0
    }).catch((error: unknown) => {
      throw new Error(`unmoved: ${left.join(', ')}`, { cause: error })
    })
    await stranger.stop()
    slow.destroy()
    ws.close()
  })

  test('when a metric is moved by another test, then that test is there and names it', () => {
    for (const [name, file] of Object.entries(ELSEWHERE)) {
      expect(Object.keys(METRICS)).toContain(name)
      expect(readFileSync(join(import.meta.dir, '../..', file), 'utf8')).toContain(name)
    }
  })

  test('when its start and the clocks are asked for, then they are those of this machine', async () => {
    const samples = samplesOf(await scrape(1))
    const [[, startedAt] = ['', 0]] = ofMetric(samples, 'process_start_time_seconds')
    expect(startedAt).toBeGreaterThan(begunAtMs / 1000 - 1)
    expect(startedAt).toBeLessThan(Date.now() / 1000)
    const offsets = ofMetric(samples, 'qbft_clock_offset_seconds')
    expect(offsets.length).toBeGreaterThanOrEqual(2)
    for (const [, offset] of offsets) expect(Math.abs(offset)).toBeLessThan(5)
  })

  test('when another validator is paused, then the chain is stalled, and Prometheus alerts of it', async () => {
    const isStalled = async (): Promise<boolean> =>
      ofMetric(samplesOf(await scrape(1)), 'qbft_stalled').some(([, value]) => value === 1)
    // A busy machine may just have lost a round: three of four validators run.
    await until('blocks', async () => !(await isStalled()))
    process.kill(cluster.node(3).pid, 'SIGSTOP')
    try {
      await until('a stall', isStalled)
      if (prometheus !== undefined)
        await until('the alert of it', async () =>
          (await prometheus?.firing())?.some(({ labels }) => labels['alertname'] === 'QuorateChainStalled'),
        )
    } finally {
      process.kill(cluster.node(3).pid, 'SIGCONT')
    }
    await until('its end', async () => !(await isStalled()))
  })

  test('when Prometheus reads them, then every panel has data and the silent validator is alerted of', async () => {
    if (prometheus === undefined) return console.log(`skipped: ${missingPrometheus}`)
    const { query, firing } = prometheus
    const expressions = PANEL_ROWS.flatMap(({ panels }) => panels.flatMap(({ queries }) => queries)).map(
      ({ expression }) =>
        expression
          .replaceAll('$job', '.*')
          .replaceAll('$instance', '.*')
          .replaceAll('$__rate_interval', '20s'),
    )
    let empty: readonly string[] = []
    await until('data of every panel', async () => {
      const found = await Promise.all(expressions.map(query))
      empty = expressions.filter((_, index) => found[index]?.length === 0)
      return empty.length === 0
    }).catch((error: unknown) => {
      throw new Error(`no data of ${empty.join('\n')}`, { cause: error })
    })
    // Validator 3, paused before, may be named until the next evaluation of the rules.
    await until('the alert of validator 4 alone', async () => {
      const silent = (await firing()).filter(({ labels }) => labels['alertname'] === 'QuorateValidatorSilent')
      return silent.length === 1 && silent[0]?.labels['validator'] === cluster.address(4)
    })
    await until('the alert that no further validator may fail', async () =>
      (await firing()).some(({ labels }) => labels['alertname'] === 'QuorateNoMoreFailures'),
    )
    await cluster.start(4)
    await until('the end of the alerts of validators', async () =>
      (await firing()).every(({ labels }) => labels['alertname'] !== 'QuorateValidatorSilent'),
    )
  })

  test('when the metrics port is asked for other things, then it says so without serving them', async () => {
    const url = String(cluster.node(1).metricsUrl)
    const status = async (path: string, init: RequestInit = {}): Promise<number> =>
      (await fetch(`${url}${path}`, init)).status
    expect(await status('/')).toBe(404)
    expect(await status('/metrics', { method: 'POST' })).toBe(405)
    expect(await status('/metrics', { headers: { host: 'evil.example.org' } })).toBe(403)
    expect(await status(`/metrics?${'name[]=a&'.repeat(300)}`)).toBe(400)
    expect(await scrape(1, 'application/openmetrics-text; version=1.0.0')).toEndWith('# EOF\n')
  })
})

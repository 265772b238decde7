import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import { otlpSettingsOf } from '../../../runtime/metrics/otlp/settings.ts'
import { createSpanQueue, SPANS_MAX } from '../../../runtime/metrics/otlp/spans.ts'
import { type OtlpReceiver, type ReceivedSpan, startOtlpReceiver } from './otlpReceiver.ts'
import { independent } from '../../support/scenario.ts'
import { until } from '../../support/until.ts'
import { withFolder } from '../folder.ts'
import { writeNetwork } from '../genesis.ts'
import {
  isInstalled,
  PROCESS_TEST_TIMEOUT_MS,
  runCommand,
  type RuntimeName,
  startNode,
} from '../nodeProcess.ts'

setDefaultTimeout(PROCESS_TEST_TIMEOUT_MS)

const OPTIONS = ['--rpc-http-enabled', '--metrics-enabled', '--metrics-protocol=OPENTELEMETRY']

const attributesOf = ({ attributes }: Pick<ReceivedSpan, 'attributes'>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? value.doubleValue]))

/** The spans of a height, once its trace is complete. */
const traceOf = (receiver: OtlpReceiver, height: number) => {
  const of = receiver.spans.filter(span => attributesOf(span)['block.number'] === height)
  const root = of.find(({ name }) => name === 'block')
  const children = of.filter(({ parentSpanId }) => parentSpanId === root?.spanId)
  return root !== undefined && children.some(({ name }) => name === 'write') ? { root, children } : undefined
}

const startOf = (span: ReceivedSpan): bigint => BigInt(span.startTimeUnixNano)
const endOf = (span: ReceivedSpan): bigint => BigInt(span.endTimeUnixNano)

const checkTraces = async (receiver: OtlpReceiver): Promise<void> => {
  const { root, children } = await until(() => traceOf(receiver, 2), { what: 'the trace of block 2' })
  expect(root.traceId).toMatch(/^[0-9a-f]{32}$/)
  expect(root.spanId).toMatch(/^[0-9a-f]{16}$/)
  expect(children.map(({ name }) => name).sort()).toEqual([
    'commit',
    'execute',
    'prepare',
    'propose',
    'write',
  ])
  for (const child of children) {
    expect(child.traceId).toBe(root.traceId)
    expect(startOf(child)).toBeGreaterThanOrEqual(startOf(root))
    expect(endOf(child)).toBeGreaterThanOrEqual(startOf(child))
  }
  const request = await until(() => receiver.spans.find(({ name }) => name === 'eth_chainId'))
  expect(request).toMatchObject({ kind: 2 })
  expect(request.status).toBeUndefined()
  expect(attributesOf(request)).toEqual({ 'rpc.system': 'jsonrpc', 'rpc.method': 'eth_chainId' })
  const failed = await until(() => receiver.spans.find(({ name }) => name === 'eth_getBalance'))
  expect(failed.status).toEqual({ code: 2, message: 'INVALID_ADDRESS' })
}

const checkMetrics = async (receiver: OtlpReceiver): Promise<void> => {
  const { metrics } = receiver
  await until(() => (metrics.get('ethereum_blockchain_height')?.gauge?.dataPoints[0]?.asDouble ?? 0) >= 2)
  const steps = metrics.get('qbft_step_duration_seconds')?.histogram
  expect(steps?.aggregationTemporality).toBe(2)
  const commit = steps?.dataPoints.find(point => attributesOf(point)['step'] === 'commit')
  const counts = (commit?.bucketCounts ?? []).map(Number)
  expect(counts).toHaveLength((commit?.explicitBounds?.length ?? 0) + 1)
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(Number(commit?.count))
  expect(Number(commit?.count)).toBeGreaterThan(0)
  expect(metrics.get('process_cpu_seconds_total')?.sum).toMatchObject({ isMonotonic: true })
  const calls = metrics.get('besu_rpc_request_time')?.summary?.dataPoints
  const chainId = calls?.find(point => attributesOf(point)['methodName'] === 'eth_chainId')
  expect(Number(chainId?.count)).toBe(1)
  expect(chainId?.quantileValues?.map(({ quantile }) => quantile)).toEqual([0.2, 0.5, 0.8, 0.95, 0.99, 1])
}

for (const runtime of ['bun', 'node', 'deno'] as const satisfies readonly RuntimeName[])
  independent.skipIf(!isInstalled(runtime))(
    `given a validator on ${runtime}, when it exports over OTLP, then metrics, requests and blocks arrive`,
    () =>
      withFolder(async folder => {
        const receiver = startOtlpReceiver()
        const node = await startNode(join(folder, 'data'), [...writeNetwork(folder), ...OPTIONS], {
          runtime,
          environment: {
            OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
            OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=a%20b',
            OTEL_RESOURCE_ATTRIBUTES: 'deployment=test,service.name=validator',
            OTEL_METRIC_EXPORT_INTERVAL: '500',
          },
        })
        try {
          expect(node.metricsUrl).toBeUndefined()
          expect(await node.rpc<string>('eth_chainId')).toBe('0x1092')
          await node.rpc('eth_getBalance', 'nonsense', 'latest').catch(() => undefined)
          await checkTraces(receiver)
          await checkMetrics(receiver)
          expect(receiver.headers[0]?.get('x-tenant')).toBe('a b')
          expect(attributesOf({ attributes: receiver.resources[0] ?? [] })).toMatchObject({
            'service.name': 'validator',
            deployment: 'test',
          })
          // A receiver that fails delays nothing, is named once, and gets later exports.
          receiver.status = 503
          const height = await node.rpc<string>('eth_blockNumber')
          await until(() => node.output().includes('OpenTelemetry cannot be exported'))
          await until(async () => Number(await node.rpc('eth_blockNumber')) > Number(height) + 1)
          receiver.status = 200
          await until(() => node.output().includes('is exported to'))
          const sent = receiver.spans.length
          expect(await node.stop()).toBe(0)
          expect(receiver.spans.length).toBeGreaterThan(sent)
        } finally {
          await node.kill()
          await receiver.stop()
        }
      }),
  )

describe('given the settings of OpenTelemetry', () => {
  test('when nothing is set, then the Collector of this machine is asked at the paths of the specification', () => {
    expect(otlpSettingsOf({}, undefined)).toMatchObject({
      metricsUrl: 'http://localhost:4318/v1/metrics',
      tracesUrl: 'http://localhost:4318/v1/traces',
      metricsIntervalMs: 60_000,
      resource: { 'service.name': 'quorate' },
    })
  })

  test('when a signal is off, or has an endpoint of its own, then that counts', () => {
    const settings = otlpSettingsOf(
      { OTEL_TRACES_EXPORTER: 'none', OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'https://a.example/in' },
      undefined,
    )
    expect([settings.tracesUrl, settings.metricsUrl]).toEqual([undefined, 'https://a.example/in'])
  })

  const refused: readonly (readonly [string, string, string])[] = [
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'localhost:4317', 'is not a URL of http or https'],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc', 'over HTTP, to port 4318'],
    ['OTEL_METRIC_EXPORT_INTERVAL', '1', 'milliseconds from 100'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'nonsense', "'nonsense' is not name=value"],
    ['OTEL_METRICS_EXPORTER', 'prometheus', 'give otlp or none'],
  ]
  test.each(refused)('when %s is %s, then the variable is named', (name, value, text) => {
    expect(() => otlpSettingsOf({ [name]: value }, undefined)).toThrow(text)
    expect(() => otlpSettingsOf({ [name]: value }, undefined)).toThrow(name)
  })

  test('when a Pushgateway is to read OpenTelemetry, then that is refused', async () => {
    const { code, error } = await runCommand(['--metrics-push-enabled', '--metrics-protocol=OPENTELEMETRY'])
    expect(error).toContain('which does not read OpenTelemetry')
    expect(code).toBe(2)
  })
})

test('given spans that nobody exports, when the queue is full, then further ones are dropped and counted', () => {
  const queue = createSpanQueue()
  const span = {
    traceId: '',
    spanId: '',
    parentSpanId: undefined,
    name: 'a',
    kind: 'internal',
    startMs: 0,
    endMs: 0,
    attributes: {},
  } as const
  for (let i = 0; i < SPANS_MAX + 3; i++) queue.push(span)
  expect(queue.size()).toBe(SPANS_MAX)
  expect([queue.takeDropped(), queue.takeDropped()]).toEqual([3, 0])
  expect(queue.take(10)).toHaveLength(10)
})

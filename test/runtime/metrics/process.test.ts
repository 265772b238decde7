import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import { withFolder } from '../folder.ts'
import {
  isInstalled,
  PROCESS_TEST_TIMEOUT_MS,
  runCommand,
  type RuntimeName,
  startNode,
} from '../nodeProcess.ts'
import { neverReads } from './neverReads.ts'
import { independent } from '../../support/scenario.ts'
import { until } from '../../support/until.ts'

setDefaultTimeout(PROCESS_TEST_TIMEOUT_MS)

for (const runtime of ['bun', 'node', 'deno'] as const satisfies readonly RuntimeName[])
  independent.skipIf(!isInstalled(runtime))(
    `given a node on ${runtime}, when it is asked, then metrics and probes answer beside clients that never read, and doctor is content`,
    () =>
      withFolder(async folder => {
        const node = await startNode(join(folder, 'data'), ['--metrics-enabled', '--metrics-port=0'], {
          runtime,
        })
        const url = String(node.metricsUrl)
        const silent = neverReads(url, { connections: 1, requests: 0 })
        const hostile = neverReads(url, { connections: 20, requests: 200 })
        try {
          // Eight answers are made at a time: the hostile ones may be first.
          const answer = await until(async () => {
            const response = await fetch(`${node.metricsUrl}/metrics`)
            return response.status === 200 ? response : undefined
          })
          const text = await answer.text()
          expect(text).toMatch(/^qbft_height 1$/m)
          expect(text).toMatch(/^process_cpu_seconds_total [\d.]+$/m)
          expect((await fetch(`${node.metricsUrl}/readiness`)).status).toBe(200)
          expect(await node.rpc<string>('eth_chainId')).toBe('0x539')
          const services = await node.rpc<Record<string, { port: string }>>('net_services')
          expect(services['metrics']?.port).toBe(new URL(String(node.metricsUrl)).port)
          const { code, out } = await runCommand(
            ['doctor', `--url=${node.url}`, `--data-path=${join(folder, 'data')}`],
            { runtime },
          )
          expect(out).toContain('is readable by its owner alone (0600)')
          expect(code).toBe(0)
          // One answer a connection, and none may stay open: neither one that asks for more nor one that asks for nothing.
          expect(await hostile.answers()).toBeLessThanOrEqual(30)
          expect(await silent.answers()).toBe(0)
        } finally {
          silent.end()
          hostile.end()
          await node.kill()
        }
      }),
  )

describe('given a Pushgateway', () => {
  test('when metrics are pushed, then it gets them at the path of the job, at the interval and at the end', () =>
    withFolder(async folder => {
      const pushed: { readonly path: string; readonly text: string }[] = []
      const gateway = Bun.serve({
        port: 0,
        hostname: '127.0.0.1',
        fetch: async request => {
          pushed.push({ path: new URL(request.url).pathname, text: await request.text() })
          return new Response(null, { status: 202 })
        },
      })
      const node = await startNode(join(folder, 'data'), [
        '--metrics-push-enabled',
        `--metrics-push-port=${gateway.port}`,
        '--metrics-push-interval=1',
        '--metrics-push-prometheus-job=my job',
        '--metrics-category=ETHEREUM',
      ])
      try {
        await until(() => pushed.length >= 2)
        const before = pushed.length
        expect(await node.stop()).toBe(0)
        expect(pushed.length).toBeGreaterThan(before)
        expect(pushed[0]?.path).toBe('/metrics/job/my%20job')
        expect(pushed[0]?.text).toContain('ethereum_blockchain_height 0')
        expect(pushed[0]?.text).not.toContain('qbft_')
      } finally {
        await node.kill()
        await gateway.stop(true)
      }
    }))

  test('when it refuses, then that is logged once and the node goes on', () =>
    withFolder(async folder => {
      let refusals = 0
      const gateway = Bun.serve({
        port: 0,
        hostname: '127.0.0.1',
        fetch: () => {
          refusals++
          return new Response(null, { status: 503 })
        },
      })
      const node = await startNode(join(folder, 'data'), [
        '--metrics-push-enabled',
        `--metrics-push-port=${gateway.port}`,
        '--metrics-push-interval=1',
        '--logging-format=PLAIN',
      ])
      try {
        await until(() => node.output().includes('Metrics cannot be pushed'))
        await until(() => refusals >= 3)
        expect(node.output().split('Metrics cannot be pushed')).toHaveLength(2)
        expect(await node.rpc<string>('eth_chainId')).toBe('0x539')
      } finally {
        await node.kill()
        await gateway.stop(true)
      }
    }))
})

describe('given options of metrics that exclude each other or are not there', () => {
  const cases: readonly (readonly [readonly string[], string])[] = [
    [['--metrics-enabled', '--metrics-push-enabled'], "can't be used at the same time"],
    [['--metrics-enabled', '--metrics-protocol=STATSD'], 'expected PROMETHEUS, OPENTELEMETRY or NONE'],
    [['--metrics-enabled', '--metrics-category=NONE_SUCH'], 'invalid entries found [NONE_SUCH]'],
    [
      ['--metrics-enabled', '--metrics-port=8545', '--rpc-http-port=8545'],
      "Port number '8545' has been specified",
    ],
  ]
  for (const [args, text] of cases)
    test(`when ${args.join(' ')} is given, then it is refused`, async () => {
      const { code, error } = await runCommand(args)
      expect(error).toContain(text)
      expect(code).toBe(2)
    })
})

describe('given a doctor', () => {
  test('when nobody answers, or something else does, then it says so and exits with 1', async () => {
    const other = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('<html>') })
    try {
      const away = await runCommand(['doctor', '--url=http://127.0.0.1:1'])
      expect(away.error).toContain(
        'The node at http://127.0.0.1:1 does not answer: connection refused, no program listens there. Give',
      )
      expect(away.code).toBe(1)
      const html = await runCommand(['doctor', `--url=http://127.0.0.1:${other.port}`, '--json'])
      expect(JSON.parse(html.out)).toMatchObject({ well: false, checks: [{ name: 'node', well: false }] })
      expect(html.code).toBe(1)
    } finally {
      await other.stop(true)
    }
  })
})

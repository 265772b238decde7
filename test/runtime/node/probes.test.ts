import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createConnection } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeNetwork } from '../genesis.ts'
import { type NodeProcess, PROCESS_TEST_TIMEOUT_MS, runCommand, startNode } from '../nodeProcess.ts'
import { until } from '../../support/until.ts'

setDefaultTimeout(PROCESS_TEST_TIMEOUT_MS)

/** Asks as the kubelet does: by the address of the pod, over a connection of its own. */
const kubelet = (url: string, path: string, host: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url)
    const socket = createConnection({ host: hostname, port: Number(port) }, () =>
      socket.write(
        `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nUser-Agent: kube-probe/1.31\r\nAccept: */*\r\nConnection: close\r\n\r\n`,
      ),
    )
    socket.once('error', reject)
    socket.once('data', data => {
      resolve(Number(data.toString().split(' ')[1]))
      socket.destroy()
    })
  })

/** Asks as the health check of a container does: by a command with an exit code. */
const compose = async (url: string, path: string): Promise<readonly [code: number, text: string]> => {
  const { code, out, error } = await runCommand(['probe', `--url=${url}${path}`])
  return [code, out + error]
}

/** As the line of a unit of systemd does. */
const curl = (url: string): number | null => spawnSync('curl', ['--silent', '--fail', url]).status

describe('given a validator of one and one that waits for three others', () => {
  let folder = ''
  let alone: NodeProcess
  let waiting: NodeProcess

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'quorate-probes-'))
    const start = async (name: string, validators: readonly number[]): Promise<NodeProcess> => {
      const path = join(folder, name)
      await Bun.write(join(path, 'keep'), '')
      const network = writeNetwork(path, { validators, qbft: { requesttimeoutseconds: 1 } })
      return startNode(join(path, 'data'), [
        ...network,
        '--rpc-http-enabled',
        '--metrics-enabled',
        '--metrics-port=0',
      ])
    }
    alone = await start('alone', [1])
    waiting = await start('waiting', [1, 2, 3, 4])
  })
  afterAll(async () => {
    await Promise.all([alone?.kill(), waiting?.kill()])
    rmSync(folder, { recursive: true, force: true })
  })

  test('when they are asked on either port by any host, then both live and one is ready', async () => {
    for (const port of [alone.url, String(alone.metricsUrl)]) {
      expect(await kubelet(port, '/liveness', '10.1.2.3:8545')).toBe(200)
      // The only validator of a network needs no peer.
      expect(await kubelet(port, '/readiness', 'node-0.node.default.svc')).toBe(200)
      expect(await kubelet(port, '/readiness?minPeers=1', '10.1.2.3')).toBe(503)
    }
    await until(async () => (await kubelet(waiting.url, '/readiness?minPeers=0', '10.1.2.4')) !== 200)
    for (const port of [waiting.url, String(waiting.metricsUrl)]) {
      expect(await kubelet(port, '/liveness', '10.1.2.4:8545')).toBe(200)
      expect(await kubelet(port, '/readiness?minPeers=0', '10.1.2.4:8545')).toBe(503)
      expect(await kubelet(port, '/readiness?minPeers=0&blocks=false', '10.1.2.4:8545')).toBe(200)
    }
    expect(await kubelet(String(alone.metricsUrl), '/metrics', '10.1.2.3:9545')).toBe(403)
  })

  test('when the kubelet asks as the page says, then a ready node passes both probes', async () => {
    const page = readFileSync(join(import.meta.dir, '../../../runtime/README.md'), 'utf8')
    const probes = [...page.matchAll(/^(\w+)Probe: \{ httpGet: \{ path: (\S+), port: 8545 \}/gm)]
    expect(probes.map(([, name]) => name)).toEqual(['liveness', 'readiness'])
    for (const [, , path = ''] of probes) expect(await kubelet(alone.url, path, '10.1.2.3:8545')).toBe(200)
  })

  test('when a command asks, then its exit code is the answer', async () => {
    expect(await compose(alone.url, '/readiness')).toEqual([0, expect.stringContaining('"status" : "UP"')])
    expect(await compose(waiting.url, '/liveness')).toEqual([0, expect.stringContaining('"status" : "UP"')])
    expect(await compose(waiting.url, '/readiness')).toEqual([
      1,
      expect.stringContaining('0 peers are connected'),
    ])
    expect(await compose('http://127.0.0.1:1', '/liveness')).toEqual([
      1,
      'The node at http://127.0.0.1:1 does not answer: connection refused, no program listens there\n',
    ])
    if (Bun.which('curl') === null) return
    expect(curl(`${alone.url}/readiness?minPeers=0`)).toBe(0)
    expect(curl(`${waiting.url}/readiness?minPeers=0`)).not.toBe(0)
  })

  test('when a node that follows has no peer yet, then doctor gives the reason of /readiness, and exits with 1', async () => {
    const path = join(folder, 'follower')
    await Bun.write(join(path, 'keep'), '')
    const [genesis] = writeNetwork(path, { validators: [1, 2, 3, 4] }) as [string]
    const follower = await startNode(join(path, 'data'), [
      genesis,
      '--rpc-http-enabled',
      '--rpc-http-api=ETH,NET,QBFT',
    ])
    try {
      const { code, out } = await runCommand(['doctor', `--url=${follower.url}`])
      expect(out).toContain('0 peers are connected')
      expect(code).toBe(1)
    } finally {
      await follower.kill()
    }
  })
})

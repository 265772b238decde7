import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { toHex } from '../../../core/bytes/hex.ts'
import { createSmallDisk } from '../../support/programs/smallDisk.ts'
import { genesisText, testKey } from '../genesis.ts'
import { isInstalled, type NodeProcess, PROCESS_TEST_TIMEOUT_MS, startNode } from '../nodeProcess.ts'
import { until } from '../../support/until.ts'

setDefaultTimeout(PROCESS_TEST_TIMEOUT_MS)

const DISK_MB = 24

/** Mounting one needs rights that not every machine gives. */
const canMount = (() => {
  const disk = createSmallDisk(1)
  disk?.remove()
  return disk !== undefined
})()

const health = async (
  { url }: NodeProcess,
  path: string,
): Promise<{ status: number; reasons: readonly string[] }> => {
  const response = await fetch(`${url}${path}`)
  const { reasons = [] } = (await response.json()) as { reasons?: readonly string[] }
  return { status: response.status, reasons }
}

const headOf = async (node: NodeProcess): Promise<number> => Number(await node.rpc('eth_blockNumber'))

const errorLines = (node: NodeProcess): readonly string[] =>
  node
    .output()
    .split('\n')
    .filter(line => line.includes('| ERROR |'))

describe.skipIf(!canMount)('given a validator whose disk becomes full', () => {
  const disks: { remove(): void }[] = []
  afterAll(() => {
    for (const disk of disks) disk.remove()
  })

  for (const runtime of ['bun', 'node', 'deno'] as const)
    test.skipIf(!isInstalled(runtime))(
      `on ${runtime}, then it is DOWN with the reason, and goes on by itself once there is room`,
      async () => {
        const disk = createSmallDisk(DISK_MB)
        if (disk === undefined) throw new Error('no disk')
        disks.push(disk)
        const dataPath = join(disk.path, 'data')
        mkdirSync(dataPath)
        writeFileSync(join(dataPath, 'key'), toHex(testKey(1)), { mode: 0o600 })
        const genesisFile = join(disk.path, 'genesis.json')
        writeFileSync(genesisFile, genesisText({ qbft: { xblockperiodmilliseconds: 100 } }))
        const node = await startNode(
          dataPath,
          [
            `--genesis-file=${genesisFile}`,
            '--rpc-http-enabled',
            '--rpc-http-api=ETH,QBFT',
            '--p2p-enabled=false',
            '--logging-format=PLAIN',
          ],
          { runtime },
        )
        try {
          await until(async () => (await headOf(node)) >= 3)
          expect((await health(node, '/liveness')).status).toBe(200)

          disk.fill()
          await until(async () => (await health(node, '/liveness')).status === 503)
          const { reasons } = await health(node, '/readiness')
          expect(reasons[0]).toMatch(/^the store could not .* full/)
          const { kind } = await node.rpc<{ kind: string }>('qbft_getStatus')
          expect(kind).toBe('disk')
          const stoppedAt = await headOf(node)
          // With an attempt to write.
          await Bun.sleep(4_000)
          expect(await headOf(node)).toBe(stoppedAt)
          expect((await health(node, '/liveness')).status).toBe(503)

          disk.makeRoom()
          await until(async () => (await headOf(node)) > stoppedAt + 3)
          expect((await health(node, '/liveness')).status).toBe(200)
          expect((await health(node, '/readiness')).status).toBe(200)
          // One of the store, one of the record of what it signs.
          expect(errorLines(node).length).toBeLessThanOrEqual(2)
          expect(await node.stop()).toBe(0)
        } finally {
          await node.kill()
        }
      },
    )
})

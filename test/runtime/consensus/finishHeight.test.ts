import { expect, setDefaultTimeout, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createCluster } from '../../cluster/support/cluster.ts'
import { headersOf } from '../../cluster/support/headers.ts'
import { until, untilBlocks } from '../../cluster/support/waiting.ts'
import { withFolder } from '../folder.ts'
import { isInstalled, PROCESS_TEST_TIMEOUT_MS } from '../nodeProcess.ts'

setDefaultTimeout(PROCESS_TEST_TIMEOUT_MS)

/** Loaded by Node before the program: each write of the restart record, one before a prepare and one before a commit. */
const SLOW_DISK = `import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
const { fdatasync } = fs
fs.fdatasync = (file, done) => setTimeout(() => fdatasync(file, done), 400)
syncBuiltinESMExports()`

const SENT = /^qbft_messages_total\{type="proposal",direction="out",result="sent"\} (\d+)$/m

test.skipIf(!isInstalled('node'))(
  'given two validators of which one is slow, when the other gets SIGTERM after its proposal, then the block still comes in its round',
  () =>
    withFolder(async folder => {
      const preload = join(folder, 'disk.mjs')
      writeFileSync(preload, SLOW_DISK)
      const cluster = await createCluster({
        folder,
        validators: 2,
        nodes: 2,
        qbft: { requesttimeoutseconds: 20 },
        runtimeOf: index => (index === 2 ? 'node' : 'bun'),
        environmentOf: index => (index === 2 ? { NODE_OPTIONS: `--import=${preload}` } : {}),
        argsOf: index => (index === 1 ? ['--metrics-enabled', '--metrics-port=0'] : []),
      })
      try {
        await cluster.start(1, 2)
        await untilBlocks(cluster, 2)
        const url = `${cluster.node(1).metricsUrl}/metrics?name[]=qbft_messages_total`
        const proposals = async (): Promise<number> =>
          Number(SENT.exec(await (await fetch(url)).text())?.[1] ?? 0)
        const before = await proposals()
        await until('a proposal of node 1', async () => (await proposals()) > before)
        const height = (await cluster.head(1)) + 1
        expect(await cluster.stop(1)).toEqual([0])
        await until('the block of the proposal', async () => (await cluster.head(2)) >= height)
        const headers = await headersOf(cluster.node(2), height)
        expect(headers.at(-1)).toMatchObject({
          number: height,
          round: 0,
          miner: cluster.address(1),
        })
      } finally {
        await cluster.end()
      }
    }),
)

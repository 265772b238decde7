import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { logOf } from '../../../runtime/logging/log.ts'
import { openNode } from '../../../runtime/node/opening/openNode.ts'
import { createYield } from '../../../runtime/scheduler.ts'
import { openSnapshots } from '../../../runtime/snapshot/snapshots.ts'
import { createSmallDisk } from '../../support/programs/smallDisk.ts'
import { until } from '../../support/until.ts'
import { runHere } from '../commandLine.ts'
import { testAddress, writeNetwork } from '../genesis.ts'
import { growChain } from '../growChain.ts'

setDefaultTimeout(120_000)

/** Their snapshot has some 40 KB, and their chain some 500. */
const BLOCKS = 60
/** Bytes that are left on the disk. */
const LEFT = [0, 8_192, 65_536, 262_144]

const disk = createSmallDisk(8)

describe.skipIf(disk === undefined)('given a disk that is full in the middle', () => {
  let folder: string
  let genesis: string

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'quorate-full-'))
    genesis = writeNetwork(folder)[0] as string
    await growChain(
      join(folder, 'source'),
      genesis.slice('--genesis-file='.length),
      BLOCKS,
      1,
      testAddress(9),
    )
  })
  afterAll(() => {
    disk?.remove()
    rmSync(folder, { recursive: true, force: true })
  })

  const create = (to: string) =>
    runHere(['snapshot', 'create', genesis, `--data-path=${join(folder, 'source')}`, `--to=${to}`])

  test('when a snapshot is created, then it fails with the reason and leaves no file, and later it is written', async () => {
    if (disk === undefined) return
    const to = join(disk.path, 'chain.snapshot')
    for (const left of LEFT.slice(0, 2)) {
      disk.fill(left)
      const { code, error } = await create(to)
      expect([left, code, error]).toEqual([left, 1, expect.stringContaining('the disk is full') as string])
      expect(readdirSync(disk.path)).toEqual(['filler'])
      disk.makeRoom()
    }
    expect((await create(to)).code).toBe(0)
    rmSync(to)
  })

  test('when a running node writes one, then its status tells the reason, no file is left, and the next one succeeds', async () => {
    if (disk === undefined) return
    const node = await openNode({
      dataPath: join(folder, 'source'),
      genesisFile: genesis.slice('--genesis-file='.length),
      storage: 'sqlite',
    })
    const snapshots = openSnapshots({
      chain: node.chain,
      dataPath: disk.path,
      createYield,
      nowMs: () => Date.now(),
      log: logOf('snapshot'),
      refusal: () => undefined,
    })
    const finish = async () => {
      snapshots.create('x.snapshot')
      await until(() => snapshots.status().state !== 'writing')
      return snapshots.status()
    }
    try {
      disk.fill(16_384)
      expect(await finish()).toMatchObject({
        state: 'failed',
        reason: expect.stringContaining('the disk is full') as string,
      })
      expect(readdirSync(join(disk.path, 'snapshots'))).toEqual([])
      disk.makeRoom()
      expect(await finish()).toMatchObject({ state: 'complete', number: BigInt(BLOCKS) })
    } finally {
      await snapshots.stop()
      await node.close()
      rmSync(join(disk.path, 'snapshots'), { recursive: true })
    }
  })

  test('when a snapshot is restored, then nothing is changed, and with room it succeeds', async () => {
    if (disk === undefined) return
    const from = join(folder, 'chain.snapshot')
    expect((await create(from)).code).toBe(0)
    const data = join(disk.path, 'data')
    const restore = () => runHere(['snapshot', 'restore', genesis, `--data-path=${data}`, `--from=${from}`])
    for (const left of LEFT) {
      disk.fill(left)
      const { code, error } = await restore()
      expect([left, code, error]).toEqual([
        left,
        1,
        expect.stringMatching(/disk is full.*(?:Nothing was changed|free space)/) as string,
      ])
      expect(existsSync(join(data, 'chain'))).toBe(false)
      expect(existsSync(join(data, 'chain.restoring'))).toBe(false)
      disk.makeRoom()
    }
    expect((await restore()).code).toBe(0)
  })
})

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { genesisText } from '../../runtime/genesis.ts'
import { isInstalled, runCommand, type RuntimeName } from '../../runtime/nodeProcess.ts'
import { rejection } from '../../support/rejection.ts'
import { clientsOf } from '../../runtime/transactions.ts'
import { type Cluster, createCluster } from '../support/cluster.ts'
import { until, untilBlocks } from '../support/waiting.ts'

/** Wei per gas that node 1 asks for. */
const MIN_GAS_PRICE = 1_000_000_000n

type Status = {
  readonly status: string
  readonly kind: string | null
  readonly explanation: string | null
  readonly causes: readonly { readonly kind: string; readonly explanation: string }[]
  readonly isValidator: boolean
  readonly validators: readonly {
    readonly address: string
    readonly heard: boolean
    readonly connected: boolean
    readonly client: string | null
    readonly clockOffsetMs: number | null
    readonly missedSeals: number
    readonly missedProposals: number
    readonly proposedBlocks: number
  }[]
  readonly transitions: readonly object[]
}

/** Modules that Node loads before the program, on the main thread and on workers: a wrong clock, a slow disk, a slow store. */
const PRELOADED = {
  clock: 'const now = Date.now; Date.now = () => now() + 7_000',
  disk: `import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
const { fdatasync } = fs
fs.fdatasync = (file, done) => setTimeout(() => fdatasync(file, done), 6_000)
syncBuiltinESMExports()`,
  store: `import sqlite from 'node:sqlite'
const { prepare } = sqlite.DatabaseSync.prototype
sqlite.DatabaseSync.prototype.prepare = function (sql) {
  const statement = prepare.call(this, sql)
  if (sql !== 'COMMIT') return statement
  const { run } = statement
  statement.run = () => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400)
    return run.call(statement)
  }
  return statement
}`,
} as const

/** A transition of one file alone, long after the test. */
const TRANSITION = { transitions: { qbft: [{ block: 1_000_000, blockperiodseconds: 5 }] } }

describe('given a network of four validators whose operators ask why it stands still', () => {
  let folder = ''
  let cluster: Cluster
  /** What node 4 is started with. */
  let preloaded: keyof typeof PRELOADED | undefined
  let otherGenesis = false

  const statusOf = (index: number): Promise<Status> => cluster.node(index).rpc<Status>('qbft_getStatus')
  /** The status once its first cause is of this kind. */
  const untilKind = (index: number, kind: string): Promise<Status> =>
    until(`${kind} on node ${index}`, async () => {
      const status = await statusOf(index)
      return status.kind === kind && status
    })
  /** Starts node 4 anew, with what a test needs of it. */
  const restartFourth = async (what: keyof typeof PRELOADED | undefined): Promise<void> => {
    if (cluster.running().includes(4)) await cluster.kill(4)
    preloaded = what
    await cluster.start(4)
  }
  const doctor = (index: number, ...args: readonly string[]) =>
    runCommand(['doctor', `--url=${cluster.node(index).url}`, ...args])

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'quorate-stalls-'))
    for (const [name, text] of Object.entries(PRELOADED)) writeFileSync(join(folder, `${name}.mjs`), text)
    const runtimeOf = (index: number): RuntimeName =>
      index === 4 && preloaded !== undefined ? 'node' : 'bun'
    cluster = await createCluster({
      folder,
      validators: 4,
      nodes: 5,
      config: TRANSITION,
      runtimeOf,
      environmentOf: index =>
        index === 4 && preloaded !== undefined
          ? { NODE_OPTIONS: `--import=${join(folder, `${preloaded}.mjs`)}` }
          : {},
      argsOf: index => (index === 1 ? [`--min-gas-price=${MIN_GAS_PRICE}`] : []),
      genesisOf: index => (index === 4 && otherGenesis ? join(folder, 'other.json') : undefined),
    })
    writeFileSync(
      join(folder, 'other.json'),
      genesisText({
        validators: [1, 2, 3, 4],
        qbft: { xblockperiodmilliseconds: 200, requesttimeoutseconds: 1 },
      }),
    )
    await cluster.start(1, 2, 3, 4, 5)
    await untilBlocks(cluster, 3)
  })
  afterAll(async () => {
    await cluster.end()
    rmSync(folder, { recursive: true, force: true })
  })

  test('when all is well, then the status has every validator and the planned transitions, and doctor passes', async () => {
    const status = await until('a status without a cause', async () => {
      const now = await statusOf(1)
      return now.kind === null && now.validators.every(({ heard }) => heard) && now
    })
    expect(status).toMatchObject({ status: 'well', explanation: null, isValidator: true })
    expect(status.validators.map(({ address }) => address).sort()).toEqual(
      [1, 2, 3, 4].map(cluster.address).sort(),
    )
    expect(status.validators.every(({ client }) => client?.startsWith('quorate/'))).toBe(true)
    expect(status.validators.reduce((sum, { proposedBlocks }) => sum + proposedBlocks, 0)).toBeGreaterThan(0)
    expect(status.transitions).toEqual([{ block: '0xf4240', changes: { blockperiodseconds: '5' } }])
    expect((await statusOf(5)).isValidator).toBe(false)
    const { code, out } = await doctor(1)
    expect(out).toContain('Blocks are decided')
    expect(code).toBe(0)
    expect((await doctor(1, '--before-restart')).code).toBe(0)
  })

  test('when transactions pay too little or wait behind a nonce, then the pool is named although blocks come', async () => {
    const { wallet } = clientsOf(cluster.node(1).url, 4242, 1)
    const to = `0x${'8'.repeat(40)}` as const
    await wallet.sendTransaction({ to, value: 1n, nonce: 3, gasPrice: 2n * MIN_GAS_PRICE, gas: 21_000n })
    const gap = await untilKind(1, 'pool')
    expect(gap.status).toBe('well')
    expect(gap.explanation).toMatch(/^None of the 1 transactions/)
    expect(gap.explanation).toContain('waiting for nonces 0 to 2')
    const refused = wallet.sendTransaction({ to, value: 1n, nonce: 0, gasPrice: 1n, gas: 21_000n })
    expect(String(await rejection(refused))).toContain('Gas price below')
    const { explanation } = await untilKind(1, 'pool')
    expect(explanation).toContain(
      'refused in the last minutes 1: Gas price below configured minimum gas price',
    )
  })

  test('when one validator stops, then blocks go on and no other may be restarted', async () => {
    expect(await cluster.stop(4)).toEqual([0])
    await untilBlocks(cluster, 2)
    const { code, out } = await until('a validator that is not heard', async () => {
      const answer = await doctor(1, '--before-restart')
      return answer.code === 1 && answer
    })
    expect(out).toContain(
      'The network cannot do without this node now: 2 other validators are heard, 3 are needed',
    )
    expect(code).toBe(1)
  })

  test('when another is paused, then both silent ones are named; when it has ended, then why it cannot be dialed', async () => {
    process.kill(cluster.node(3).pid, 'SIGSTOP')
    const silent = await untilKind(1, 'too-few-heard')
    process.kill(cluster.node(3).pid, 'SIGCONT')
    expect(silent.explanation).toMatch(
      /^No block for \d+ s: 2 of 4 validators are heard, 3 are needed; 0x\w{4}…\w{4} silent for \d+ s \(last at 127\.0\.0\.1:\d+\), 0x/,
    )
    await untilBlocks(cluster, 2)
    await cluster.kill(3)
    const away = await until('a refused dial', async () => {
      const status = await statusOf(1)
      return (
        status.kind === 'not-connected' && /ECONNREFUSED|refused/i.test(status.explanation ?? '') && status
      )
    })
    expect(away.explanation).toMatch(
      /^No block for \d+ s: 2 of 4 validators are connected, 3 are needed; 0x\w{4}…\w{4} is not connected \(.*; round \d+, next attempt in \d+ s\.$/,
    )
    await until('the same sentence in the log', async () =>
      /No block for \d+ s: 2 of 4 validators/.test(cluster.node(1).output()),
    )
    const readiness = await fetch(`${cluster.node(1).url}/readiness`)
    expect(readiness.status).toBe(503)
    expect(await readiness.text()).toContain('2 of 4 validators are connected')
    const follower = await untilKind(5, 'not-a-validator')
    expect(follower.explanation).toContain('this node is not one of the 4 validators')
    const { code, out } = await doctor(1, '--json')
    expect(JSON.parse(out)).toMatchObject({ well: false })
    expect(code).toBe(1)
    await cluster.start(3)
    await untilBlocks(cluster, 2)
    await until('a log that says so', async () =>
      cluster.node(1).output().includes('Blocks are decided again'),
    )
  })

  test.skipIf(!isInstalled('node'))(
    'when a clock is wrong, then its validator is named with how much',
    async () => {
      preloaded = 'clock'
      await cluster.start(4)
      const { explanation, validators } = await untilKind(1, 'clocks')
      expect(explanation).toMatch(/the clock of 0x\w{4}…\w{4} is [5-8] s ahead of this node's/i)
      const offset = validators.find(({ address }) => address === cluster.address(4))?.clockOffsetMs ?? 0
      expect(Math.abs(offset - 7_000)).toBeLessThan(2_500)
      const own = await untilKind(4, 'clocks')
      expect(own.explanation).toMatch(/he clock of this machine is wrong/)
      expect((await doctor(4)).out).toMatch(/WRONG {2}clock/)
      await cluster.kill(4)
    },
  )

  test.skipIf(!isInstalled('node'))(
    'when a disk is slow, then its node says since when it writes',
    async () => {
      await restartFourth('disk')
      const { explanation } = await untilKind(4, 'disk-slow')
      expect(explanation).toMatch(/write to the disk (?:has taken|took) \d+ s/)
      await cluster.kill(4)
    },
  )

  test.skipIf(!isInstalled('node'))('when a node has fallen behind, then it says by how much', async () => {
    if (cluster.running().includes(4)) await cluster.kill(4)
    cluster.wipe(4)
    await restartFourth('store')
    const { explanation } = await untilKind(4, 'behind')
    expect(explanation).toMatch(/his node is behind, at block \d+ of \d+/)
    await cluster.kill(4)
    preloaded = undefined
    cluster.wipe(4)
  })

  test('when a genesis file differs, then the validator and the entries are named on both', async () => {
    otherGenesis = true
    await restartFourth(undefined)
    for (const index of [1, 4]) {
      const { explanation } = await untilKind(index, 'genesis')
      expect(explanation).toContain('transitions.qbft[block 1000000]')
    }
    // It stops nothing before that block.
    const { code, out } = await doctor(1)
    expect([code, out]).toEqual([0, expect.stringMatching(/^care {3}blocks .*which does not act yet/m)])
    expect(await cluster.stop(4)).toEqual([0])
    otherGenesis = false
  })
})

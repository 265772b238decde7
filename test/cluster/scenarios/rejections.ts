import { expect } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { toHex } from '../../../core/bytes/hex.ts'
import { scenario } from '../../support/scenario.ts'
import { code } from '../../core/evm/harness.ts'
import { runHere } from '../../runtime/commandLine.ts'
import { isInstalled, runCommand } from '../../runtime/nodeProcess.ts'
import { clientsOf } from '../../runtime/transactions.ts'
import { type Cluster, createCluster } from '../support/cluster.ts'
import { until, untilBlocks } from '../support/waiting.ts'

/** A module that Node loads before the program: it replaces a text of one source file. */
const replacing = (file: string, text: string, by: string): string => `
import { registerHooks } from 'node:module'
registerHooks({
  load: (url, context, next) => {
    const loaded = next(url, context)
    if (!url.endsWith(${JSON.stringify(file)})) return loaded
    const source = String(loaded.source)
    if (!source.includes(${JSON.stringify(text)})) throw new Error('the text to replace is gone')
    return { ...loaded, source: source.replace(${JSON.stringify(text)}, ${JSON.stringify(by)}) }
  },
})`

/** What makes node 4 stand in the way of the others. */
const CHANGES = {
  /** A release with another rule from block 4 on: a validator signs nothing in its first height. */
  rule: replacing(
    '/core/chain/fees/baseFee.ts',
    '  const target = parent.gasLimit',
    '  if (parent.number >= 3n) return 7n\n  const target = parent.gasLimit',
  ),
  /** A machine that takes 10 ms for each hash. */
  slow: replacing(
    '/core/evm/precompiles/hashes.ts',
    "import { sha256 } from '@noble/hashes/sha2.js'",
    `import { sha256 as hash } from '@noble/hashes/sha2.js'
const wait = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10)
const sha256 = Object.assign(input => (wait(), hash(input)), { create: () => (wait(), hash.create()) })`,
  ),
} as const

/** SHA-256 six hundred times: milliseconds on most machines, six seconds on the slow one. */
const HASHES = code(
  600,
  'JUMPDEST',
  [32, 0, 32, 0, 2, 'GAS', 'STATICCALL', 'POP'],
  1,
  'SWAP1 SUB DUP1',
  3,
  'JUMPI STOP',
)

type Status = {
  readonly kind: string | null
  readonly explanation: string | null
  readonly causes: readonly { readonly kind: string; readonly explanation: string }[]
}

scenario(
  'given four validators, one of which is down and one of which does not accept what the others propose',
  ({ beforeAll, afterAll, test }) => {
    let folder = ''
    let cluster: Cluster
    let change: keyof typeof CHANGES = 'rule'

    const status = (index: number): Promise<Status> => cluster.node(index).rpc<Status>('qbft_getStatus')
    const explanation = (index: number, kind: string): Promise<string> =>
      until(`${kind} on node ${index}`, async () => {
        const now = await status(index)
        return now.kind === kind && (now.explanation ?? false)
      })

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'quorate-rejections-'))
      for (const [name, text] of Object.entries(CHANGES)) writeFileSync(join(folder, `${name}.mjs`), text)
      cluster = await createCluster({
        folder,
        validators: 4,
        nodes: 4,
        runtimeOf: index => (index === 4 ? 'node' : 'bun'),
        environmentOf: index =>
          index === 4 ? { NODE_OPTIONS: `--import=${join(folder, `${change}.mjs`)}` } : {},
      })
      await cluster.start(1, 2, 4)
    })
    afterAll(async () => {
      await cluster.end()
      rmSync(folder, { recursive: true, force: true })
    })

    test('when it has another rule, then status, log, readiness and doctor of all name the proposer and the rule', async () => {
      const rejects = (proposer: number): RegExp =>
        new RegExp(
          `No block for \\d+ s: the proposal of ${cluster.address(proposer).slice(0, 6)}….{4} in round \\d+ was rejected \\(invalid-block: Block \\d+ is invalid \\(base-fee-value\\)`,
        )
      expect(await explanation(1, 'proposal-rejected')).toMatch(rejects(4))
      expect(await explanation(4, 'proposal-rejected')).toMatch(/^No block for \d+ s: the proposal of 0x/)
      await until('the sentence in the log', async () => rejects(4).test(cluster.node(1).output()))
      const readiness = await fetch(`${cluster.node(1).url}/readiness`)
      expect(readiness.status).toBe(503)
      expect(await readiness.text()).toContain('was rejected (invalid-block')
      const { code: exit, out } = await runCommand(['doctor', `--url=${cluster.node(1).url}`])
      expect(out).toContain('was rejected (invalid-block')
      expect(exit).toBe(1)
    })

    test('when it is too slow for a block, then status, readiness, doctor and log say so, and blocks go on without the transaction', async () => {
      await cluster.kill(4)
      change = 'slow'
      await cluster.start(4)
      await untilBlocks(cluster, 2)
      const { wallet } = clientsOf(cluster.node(1).url, 4242)
      await wallet.sendTransaction({
        data: toHex(HASHES) as `0x${string}`,
        gas: 1_000_000n,
        gasPrice: 10n ** 11n,
      })
      const sentence =
        /No block for \d+ s: the proposal of round \d+ takes longer to execute than its round lasts/
      const { url } = cluster.node(4)
      // All at once: the stall ends with the first proposal without the transaction.
      const [told] = await Promise.all([
        explanation(4, 'execution-over-bound'),
        until('the sentence in /readiness', async () => {
          const readiness = await fetch(`${url}/readiness`)
          return sentence.test(await readiness.text()) && readiness.status === 503
        }),
        until('the sentence of doctor', async () => {
          const { code: exit, out } = await runHere(['doctor', `--url=${url}`])
          return sentence.test(out) && exit === 1
        }),
      ])
      expect(told).toMatch(sentence)
      await until('the sentence in the log', async () =>
        /No block for \d+ s: the proposal of round \d+ takes longer/.test(cluster.node(4).output()),
      )
      await untilBlocks(cluster, 1)
    })
  },
  { skip: !isInstalled('node') },
)

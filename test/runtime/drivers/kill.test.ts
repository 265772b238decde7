import { describe, expect } from 'bun:test'
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openChainStore } from '../../../core/store/chainStore.ts'
import { openStorage } from '../../../runtime/drivers/open.ts'
import { seededRandom } from '../../support/random.ts'
import { isInstalled, RUNTIME_COMMANDS, type RuntimeName } from '../../support/programs/runtimeCommands.ts'
import { independent } from '../../support/scenario.ts'
import { sampleChain } from '../../support/chains/sampleChain.ts'
import { expectChain } from '../../support/stores/storeCheck.ts'
import { WRITER_CHAIN, WRITER_OPTIONS } from './storeWriterChain.ts'

const WRITER = fileURLToPath(new URL('./storeWriter.ts', import.meta.url))
const chain = sampleChain(WRITER_CHAIN)

/** Lets the writer commit some blocks and kills it; gives the last block that it said was committed, and what it complained. */
const writeAndKill = (
  runtime: RuntimeName,
  storage: string,
  path: string,
  blocks: number,
): Promise<{ readonly committed: number; readonly complaint: string }> =>
  new Promise(resolve => {
    const [program, ...rest] = RUNTIME_COMMANDS[runtime]
    const writer = spawn(program, [...rest, WRITER, storage, path], { stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    let complaint = ''
    let lines = 0
    writer.stdout.on('data', (part: Buffer) => {
      output += part.toString()
      lines += part.toString().split('\n').length - 1
      if (lines >= blocks) writer.kill('SIGKILL')
    })
    writer.stderr.on('data', (part: Buffer) => {
      complaint += part.toString()
    })
    writer.on('close', () => {
      // The last line may be cut off: only whole ones were said.
      const said = output.slice(0, output.lastIndexOf('\n') + 1).trim()
      resolve({ committed: said === '' ? -1 : Number(said.split('\n').at(-1)), complaint })
    })
  })

describe('given a process that is killed with SIGKILL while it commits', () => {
  for (const [runtime, storage, kills] of [
    ['bun', 'sqlite', 4],
    ['node', 'sqlite', 3],
    ['deno', 'sqlite', 3],
    ['bun', 'fs', 3],
  ] as const)
    independent.skipIf(!isInstalled(runtime))(
      `when it runs on ${runtime} with ${storage}, then it leaves every block that it reported as committed`,
      async () => {
        const path = mkdtempSync(join(tmpdir(), 'quorate-kill-'))
        const random = seededRandom(runtime.length + storage.length)
        let reached = -1
        try {
          for (let kill = 0; kill < kills; kill++) {
            const { committed, complaint } = await writeAndKill(runtime, storage, path, 5 + random.below(25))
            expect(complaint).toBe('')
            reached = Math.max(reached, committed)
            const kv = await openStorage(storage, path)
            const store = await openChainStore(kv, WRITER_OPTIONS)
            const head = Number(store.head()?.header.number ?? -1n)
            expect(head).toBeGreaterThanOrEqual(reached)
            await expectChain(store, chain, head)
            await kv.close()
          }
          expect(reached).toBeGreaterThan(10)
        } finally {
          rmSync(path, { recursive: true, force: true })
        }
      },
    )
})

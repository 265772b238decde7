import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BenchOptions, type Row, timesText } from '../measure.ts'
import { benchEmptyDownload, benchFilledDownload, headOf, type Transport, untilHead } from './downloads.ts'
import { type BenchNode, startBenchNetwork } from './nodes.ts'
import { usageOf } from './usage.ts'

const MEASURED_MS = 20_000
/** What starting leaves to do is done after this. */
const REST_MS = 5_000

/** CPU milliseconds of one validator for an empty block. */
const cpuOfBlock = async (transport: Transport, validators: number): Promise<number> => {
  const folder = mkdtempSync(join(tmpdir(), 'quorate-bench-'))
  const args = [`--p2p-protocol=${transport}`, '--discovery-enabled=false']
  const network = await startBenchNetwork({ folder, validators, periodMs: 1000, alloc: {}, args })
  try {
    const { nodes } = network
    const cpu = (): number => nodes.reduce((sum, { pid }) => sum + usageOf(pid).cpuSeconds, 0)
    await untilHead(nodes[0] as BenchNode, 3)
    await Bun.sleep(REST_MS)
    const [from, before] = [await headOf(nodes[0] as BenchNode), cpu()]
    await Bun.sleep(MEASURED_MS)
    const blocks = (await headOf(nodes[0] as BenchNode)) - from
    return ((cpu() - before) / blocks / validators) * 1000
  } finally {
    await network.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

const benchConsensus = async (validators: number): Promise<Row> => {
  const libp2p = await cpuOfBlock('libp2p', validators)
  const devp2p = await cpuOfBlock('devp2p', validators)
  return {
    name: `empty block of ${validators} validators, CPU ms of each`,
    values: {
      libp2p: libp2p.toFixed(0),
      devp2p: devp2p.toFixed(0),
      'devp2p to libp2p': timesText(devp2p, libp2p),
    },
  }
}

/** The same node over devp2p beside libp2p. */
export const benchTransports = async ({ quick, row }: BenchOptions): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'quorate-bench-'))
  try {
    const blocks = quick ? 1_000 : 10_000
    await row('download of empty blocks', () => benchEmptyDownload(folder, blocks))
    await row('download of blocks of transfers', () => benchFilledDownload(folder, blocks))
    await row('blocks of many validators', () => benchConsensus(quick ? 4 : 20))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

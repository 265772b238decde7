import { beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import type { Network } from '../../../p2p/network.ts'
import { configureLog, logOf } from '../../../runtime/logging/log.ts'
import { startFetchingWhole } from '../../../runtime/node/history/fetchWhole.ts'
import { startNodeHistory } from '../../../runtime/node/history/nodeHistory.ts'
import { openNode } from '../../../runtime/node/opening/openNode.ts'
import type { OpenNode } from '../../../runtime/node/runningNode.ts'
import { until } from '../../support/until.ts'
import { withFolder } from '../folder.ts'
import { writeNetwork } from '../genesis.ts'

setDefaultTimeout(120_000)

const logLines: string[] = []
const linesWith = (text: string): number => logLines.filter(line => line.includes(text)).length

beforeEach(() => {
  logLines.splice(0)
  configureLog({ level: 'INFO', format: 'PLAIN', colour: false, write: line => void logLines.push(line) })
})

test('given a node that goes back from pruning, when no peer has the removed blocks, then that is logged once', () =>
  withFolder(async folder => {
    const genesisFile = (writeNetwork(folder)[0] as string).slice('--genesis-file='.length)
    const dataPath = join(folder, 'data')
    const node = await openNode({ dataPath, genesisFile, storage: 'sqlite' })
    let looks = 0
    const network = (): Network => {
      looks++
      return { peers: () => [] } as unknown as Network
    }
    const stop = startFetchingWhole({
      dataPath,
      genesisFile,
      node,
      historyStart: 5n,
      network,
      log: logOf('chain'),
    })
    try {
      await until(() => linesWith('No connected peer has block 1') > 0, { timeoutMs: 60_000 })
      const before = looks
      await until(() => looks > before + 1, { timeoutMs: 60_000 })
      expect(linesWith('No connected peer has block 1')).toBe(1)
    } finally {
      await stop()
      await node.close()
    }
  }))

test('given a node that removes its history, when the start moves, then the log says so, at most once an interval', async () => {
  let start = 10n
  let onHead = (): void => undefined
  let nowMs = 0
  const chain = {
    store: { historyStart: () => start },
    onHead: (listener: () => void) => {
      onHead = listener
      return () => {
        onHead = () => undefined
      }
    },
  }
  const stop = startNodeHistory({
    node: { chain } as unknown as OpenNode,
    options: { dataPath: '/nowhere', genesisFile: 'genesis.json', storage: 'sqlite', pruneHistory: 2_000 },
    network: undefined,
    nowMs: () => nowMs,
  })
  const blocks = (from: bigint): void => {
    start = from
    onHead()
  }
  expect(linesWith('now those from 10 on')).toBe(1)
  onHead()
  blocks(74n)
  blocks(138n)
  expect(linesWith('History is now kept from block')).toBe(1)
  expect(linesWith('History is now kept from block 74 on')).toBe(1)
  nowMs = 600_000
  blocks(138n)
  expect(linesWith('History is now kept from block 138 on')).toBe(1)
  await stop()
  nowMs = 1_200_000
  blocks(202n)
  expect(linesWith('History is now kept from block')).toBe(2)
})

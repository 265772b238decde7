import { Database } from 'bun:sqlite'
import { expect, setDefaultTimeout, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { toHex } from '../../../core/bytes/hex.ts'
import { withFolder } from '../folder.ts'
import { genesisText, testKey } from '../genesis.ts'
import { type NodeProcess, PROCESS_TEST_TIMEOUT_MS, startNode } from '../nodeProcess.ts'
import { until } from '../../support/until.ts'

setDefaultTimeout(PROCESS_TEST_TIMEOUT_MS)

const BLOCKS = 20

const untilBlock = async (node: NodeProcess, number: number): Promise<void> => {
  await until(async () => Number(await node.rpc('eth_blockNumber')) >= number)
}

/** Keeps the first half of the log, as a copy that was cut short would. */
const loseHalf = (dataPath: string): void => {
  const segments = new Database(join(dataPath, 'chain/segments.sqlite'))
  segments.run(`DELETE FROM segment WHERE id > ${BLOCKS / 2}`)
  segments.close()
}

test('given a node with half of its segments, when it starts beside a whole one, then it repairs itself and says so', () =>
  withFolder(async folder => {
    const genesisFile = join(folder, 'genesis.json')
    writeFileSync(genesisFile, genesisText({ qbft: { xblockperiodmilliseconds: 100 } }))
    const validatorPath = join(folder, 'validator')
    mkdirSync(validatorPath)
    writeFileSync(join(validatorPath, 'key'), toHex(testKey(1)), { mode: 0o600 })
    const network = [
      `--genesis-file=${genesisFile}`,
      '--rpc-http-enabled',
      '--rpc-http-api=ETH,NET,ADMIN',
      '--p2p-interface=127.0.0.1',
      '--logging-format=PLAIN',
    ]
    const validator = await startNode(validatorPath, network)
    const dataPath = join(folder, 'node')
    const start = async (): Promise<NodeProcess> => {
      const node = await startNode(dataPath, network)
      await node.rpc('admin_addPeer', await validator.rpc('net_enode'))
      return node
    }
    const first = await start()
    await untilBlock(first, BLOCKS)
    expect(await first.stop()).toBe(0)
    loseHalf(dataPath)

    const second = await start()
    await until(() => second.output().includes('and restored'))
    expect(second.output()).toMatch(
      /The records of blocks 11 to \d+ were damaged: they were fetched from enode:/,
    )
    for (const number of [5, 11, BLOCKS - 1]) {
      const block = (node: NodeProcess): Promise<{ hash: string; size: string }> =>
        node.rpc('eth_getBlockByNumber', `0x${number.toString(16)}`, true)
      expect((await block(second)).hash).toBe((await block(validator)).hash)
    }
    expect(await second.stop()).toBe(0)
    expect(await validator.stop()).toBe(0)
  }))

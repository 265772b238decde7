import { expect, setDefaultTimeout, test } from 'bun:test'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '../../../support/until.ts'
import { withFolder } from '../../folder.ts'
import { PROCESS_TEST_TIMEOUT_MS, startNode } from '../../nodeProcess.ts'

setDefaultTimeout(PROCESS_TEST_TIMEOUT_MS)

/** The bytes of blocks that the node has written. */
const writtenIn = (folder: string): number => statSync(join(folder, 'chain/segments.sqlite-wal')).size

test('given blocks above a snapshot, when the node is killed or stopped, then they are kept once they are written', () =>
  withFolder(async folder => {
    const killed = await startNode(folder)
    await killed.rpc('evm_snapshot')
    const before = writtenIn(folder)
    await killed.rpc('evm_mine')
    await until(() => writtenIn(folder) > before)
    await killed.kill()

    const stopped = await startNode(folder)
    expect(await stopped.rpc<string>('eth_blockNumber')).toBe('0x1')
    const id = await stopped.rpc('evm_snapshot')
    await stopped.rpc('evm_mine')
    expect(await stopped.rpc<boolean>('evm_revert', id)).toBe(true)
    await stopped.rpc('evm_snapshot')
    await stopped.rpc('evm_mine')
    expect(await stopped.stop()).toBe(0)

    const again = await startNode(folder)
    expect(await again.rpc<string>('eth_blockNumber')).toBe('0x2')
    await again.kill()
  }))

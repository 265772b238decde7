import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { withFolder } from '../../folder.ts'
import { writeNetwork } from '../../genesis.ts'
import { isInstalled, PROCESS_TEST_TIMEOUT_MS, startNode } from '../../nodeProcess.ts'
import { until } from '../../../support/until.ts'

setDefaultTimeout(PROCESS_TEST_TIMEOUT_MS)

const NO_THREADS = `--import=${new URL('./withoutThreads.ts', import.meta.url).href}`

describe('given a node on a runtime without worker threads', () => {
  test.skipIf(!isInstalled('node'))('when it starts, then it says so, listens, makes blocks and stops', () =>
    withFolder(async folder => {
      const args = ['--rpc-http-enabled', '--rpc-http-api=ETH,NET,ADMIN', '--p2p-interface=127.0.0.1']
      const node = await startNode(folder, [...writeNetwork(folder), ...args], {
        runtime: 'node',
        environment: { NODE_OPTIONS: NO_THREADS },
      })
      await until(async () => Number(await node.rpc('eth_blockNumber')) >= 2)
      expect(node.output()).toContain('The network runs on the main thread')
      expect(await node.rpc<boolean>('net_listening')).toBe(true)
      expect(node.rpc('admin_addPeer', 'enode://12@127.0.0.1:1')).rejects.toThrow('node ID')
      expect(await node.stop()).toBe(0)
    }),
  )
})
